"""The examples, as their pages say, with an installed tree. Each is built in a copy."""
import os
import re
import shutil
import subprocess
import sys
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests", "package"))
import installed  # noqa: E402
from installed import CC, CMAKE  # noqa: E402

EXAMPLES = os.path.join(SOURCE, "tools", "examples")
MOST_LINES = 10     # of a build file, without comments and empty lines


class Examples(installed.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.env.update(
            CC=CC, LD_LIBRARY_PATH=cls.lib, CETANE_LIBRARY=cls.lib,
            CETANE_DEVICE="host",
            PYTHONPATH=os.path.join(SOURCE, "tools", "python"),
            PYTHONDONTWRITEBYTECODE="1",
            PATH=os.pathsep.join([os.path.dirname(cls.command),
                                  cls.env["PATH"]]))

    def setUp(self):
        self.place = ""

    def copy(self, name):
        self.place = os.path.join(self.folder.name, name)
        shutil.copytree(os.path.join(EXAMPLES, name), self.place)

    def run_it(self, *words):
        p = subprocess.run(words, cwd=self.place, env=self.env, text=True,
                           capture_output=True)
        self.assertEqual(p.returncode, 0, f"{words}: {p.stdout}{p.stderr}")
        return p.stdout

    def make_it(self):
        """The line of the page that calls make, with nothing in the environment; the
        program finds the runtime by itself, too.
        """
        self.env = {k: v for k, v in self.env.items() if k != "LD_LIBRARY_PATH"}
        with open(os.path.join(self.place, "README.md")) as f:
            line, = re.findall(r"(?m)^    (.*\bmake\b.*?)\s*(?:#.*)?$", f.read())
        self.run_it("env", "-u", "PKG_CONFIG_PATH", "sh", "-c",
                    line.replace("PREFIX/lib", self.lib) + " CC=" + CC)

    def cases(self, *files):
        """The cases in the comments pass."""
        out = self.run_it("cetane", "test", *files, "--device=host")
        self.assertRegex(out, r"(?m)^[1-9]\d* passed, 0 failed$")

    def test_gemm_gelu(self):
        self.copy("gemm_gelu")
        self.run_it(CMAKE, "-S", ".", "-B", "build", f"-DCMAKE_C_COMPILER={CC}",
                    f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.run_it(CMAKE, "--build", "build")
        self.assertRegex(self.run_it("build/layer"), r"largest error: \d\.\de-0")
        self.cases("gemm_gelu.dsl")
        self.assertEqual(self.run_it("cetane", "inspect", "gemm_gelu.dsl",
                                     "--resources").count("\nkernel "), 1)

    def test_softmax(self):
        try:
            import numpy    # noqa: F401
        except ImportError:
            self.skipTest("there is no NumPy")
        self.copy("softmax")
        out = self.run_it(sys.executable, "softmax.py")
        self.assertRegex(out, r"largest error: \d\.\d+e-0[89]")
        self.assertIn("refused: softmax: X has elements of type f64", out)
        self.cases("softmax.dsl")

    def test_heat(self):
        self.copy("heat")
        self.make_it()
        rows = [float(x) for x in self.run_it("./heat").split()]
        self.assertEqual(rows[0], 100)
        # Far in time the temperature is a harmonic function: its middle has the
        # mean of the four edges.
        self.assertAlmostEqual(rows[2], 25, places=1)
        self.cases("heat.c")

    def test_drop_in(self):
        self.copy("drop_in")
        self.make_it()
        self.assertEqual(self.run_it("./fast"), self.run_it("./plain"))

    def test_stages(self):
        self.copy("stages")
        out = self.run_it("sh", "stages.sh")
        for text in ["kernel stages_D", "edited.ptx differs",
                     "the results are the same", "the PTX is the same"]:
            self.assertIn(text, out)
        self.cases("stages.dsl")

    def python(self, name):
        """The largest error that the script of the example tells."""
        try:
            import numpy    # noqa: F401
        except ImportError:
            self.skipTest("there is no NumPy")
        self.copy(name)
        out = self.run_it(sys.executable, name + ".py")
        return out, float(re.search(r"largest error: (\S+)", out).group(1))

    def test_attention(self):
        out, error = self.python("attention")
        self.assertLess(error, 1e-5)
        self.assertIn("refused: attention: dimension 1 of K has extent 31", out)
        self.cases("attention.dsl")

    def test_lstm(self):
        _, error = self.python("lstm")
        self.assertLess(error, 1e-5)
        self.cases("lstm.dsl")

    def test_image(self):
        """An edge is steeper than before, and what is even stays as it is."""
        self.copy("image")
        self.make_it()
        rows = [bytes([80] * 10 + [160] * 10)] * 12
        p = subprocess.run([os.path.join(self.place, "sharpen")],
                           input=b"P5\n20 12\n255\n" + b"".join(rows),
                           env=self.env, capture_output=True, check=True)
        head, pixels = p.stdout[:13], p.stdout[13:]
        self.assertEqual((head, len(pixels)), (b"P5\n20 12\n255\n", 240))
        line = pixels[5 * 20:6 * 20]
        self.assertEqual(list(line[:8]) + list(line[12:]), [80] * 8 + [160] * 8)
        self.assertLess(line[9], 80)
        self.assertGreater(line[10], 160)
        # At the edges the image is that which was read.
        self.assertEqual(pixels[:20], rows[0])
        bad = subprocess.run([os.path.join(self.place, "sharpen")],
                             input=b"P6 1 1 255\n", env=self.env,
                             capture_output=True)
        self.assertEqual(bad.returncode, 1)
        self.cases("pipeline.dsl")

    def test_schedule(self):
        self.copy("schedule")
        p = subprocess.run(
            ["cetane", "run", "column_sums.c", "-Dm=64", "-Dn=128",
             "--schedule=column_sums.lua", "--sanitize=all"], cwd=self.place,
            env=self.env, text=True, capture_output=True)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("128 of 128 elements", p.stdout)
        self.assertIn("refused: gpu: the threads of loop 'i'", p.stderr)
        self.assertIn("for (int b1 = 0; b1 < 2; b1++)", p.stderr)
        self.cases("column_sums.c")

    def test_tuning(self):
        self.copy("tuning")
        self.env["CETANE_DRIVER"] = "/nonexistent"
        try:
            out = self.run_it("sh", "tune.sh")
        finally:
            del self.env["CETANE_DRIVER"]
        for text in ("(the model's choice)", "tile         32 x 32 points",
                     "verified against the interpreter",
                     "no GPU: nothing is measured"):
            self.assertIn(text, out)
        self.cases("product.dsl")

    def test_tutorial(self):
        """The files that the page shows, its commands in order, and for each line of
        output that it shows one of the command before that has it.
        """
        with open(os.path.join(EXAMPLES, "tutorial", "README.md")) as f:
            text = f.read()
        self.place = os.path.join(self.folder.name, "tutorial")
        os.mkdir(self.place)
        parts = re.findall(r"`([\w.]+)`:\n\n```\n(.*?)```|(?m:^    (cetane [^\n]*)$)"
                           r"|```text\n(.*?)```", text, re.S)
        said, ran = "", []
        for name, content, command, output in parts:
            if name:
                with open(os.path.join(self.place, name), "w") as f:
                    f.write(content)
            elif command:
                words, _, note = command.partition("#")
                p = subprocess.run(words.split(), cwd=self.place, text=True,
                                   env=self.env, capture_output=True)
                self.assertEqual(p.returncode, "exits with 1" in note,
                                 f"{command}: {p.stderr}")
                said = p.stdout + p.stderr
                ran.append(words.split()[1])
            for line in output.splitlines():
                self.assertIn(line, said)
        self.assertLessEqual({"check", "run", "test", "inspect", "build",
                              "profile"}, set(ran))
        self.assertEqual(sum(bool(name) for name, *_ in parts), 5)
        self.assertEqual(text.count("```"),
                         2 * sum(bool(n or o) for n, _, _, o in parts))

    def test_pages(self):
        """Each has one, of which there is a row; build files are short."""
        with open(os.path.join(EXAMPLES, "README.md")) as f:
            rows = re.findall(r"(?m)^\| \[`(\w+)`\]", f.read())
        self.assertEqual(sorted(rows), sorted(
            name for name in os.listdir(EXAMPLES)
            if os.path.isdir(os.path.join(EXAMPLES, name))))
        for name in rows:
            self.assertTrue(hasattr(self, "test_" + name))
            with open(os.path.join(EXAMPLES, name, "README.md")) as f:
                page = f.read()
            self.assertLess(page.count("\n"), 150 if name == "tutorial" else 40)
            for link in re.findall(r"\]\(([^)#]+)\)", page):
                self.assertTrue(os.path.exists(
                    os.path.join(EXAMPLES, name, link)), link)
            for file in "CMakeLists.txt", "Makefile":
                path = os.path.join(EXAMPLES, name, file)
                if os.path.exists(path):
                    with open(path) as f:
                        lines = [line for line in f if line.strip() and
                                 not line.startswith("#")]
                    self.assertLessEqual(len(lines), MOST_LINES, path)


if __name__ == "__main__":
    unittest.main()
