"""The verb tune and its results: the space, the search on a driver that is a
fake, and builds that use what was found.
"""
import os
import re
import xml.etree.ElementTree

import command

FAKE = os.environ.get("CETANE_FAKE_CUDA")
KERNELS = os.environ.get("CETANE_FAKE_CUBLAS")

SOURCE = """Params M, N, K;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});
"""
SIZES = "-DM=512", "-DN=512", "-DK=512"
CONFIG = "parts C 2; kernel C_part thread 8 8 tile 128 64 32 vec 4 4 stages 2"
BLOCK = "thread 8 8 tile 128 64 32 vec 4 4 stages 2"


class Space(command.Case):
    def dry_run(self, *args, **more):
        out, _ = self.cetane("tune", "--dry-run", *args, **more)
        return out.decode()

    def test_space_of_a_product(self):
        self.write("sizes", "512 512 512\n")
        out = self.dry_run("--suite=gemm/nn", "--sizes=sizes")
        head, factors, *rows = out.splitlines()
        self.assertRegex(head, r"gemm nn 512x512x512: program [0-9a-f]{16}, "
                         r"1120 configurations")
        # 8 * 9 * 3 + 8, for each number of parts.
        self.assertIn("parts of C: 5; blocks of gemm_nn_C_part: 224 legal of "
                      "8 shapes of threads x 9 of points x 3 numbers of "
                      "stages + 8 with columns", factors)
        self.assertEqual(len(rows), 200)
        self.assertIn("(the model's choice)", rows[0])
        cycles = [int(row.split()[1]) for row in rows]
        self.assertEqual(cycles[1:], sorted(cycles[1:]))
        configs = [row.split("cycles")[1].strip() for row in rows]
        self.assertEqual(len(set(configs)), 200)
        self.assertEqual(out, self.dry_run("--suite=gemm/nn",
                                           "--sizes=sizes"))
        all_rows = self.dry_run("--suite=gemm/nn", "--sizes=sizes",
                                "--budget=0").splitlines()
        self.assertEqual(len(all_rows), 2 + 1120)

    def test_the_models_choice_is_first(self):
        self.write("g.dsl", SOURCE)
        self.write("sizes", "512 512 512\n")
        row = self.dry_run("--suite=gemm/nn", "--sizes=sizes",
                           "--budget=1").splitlines()[2]
        parts, block = re.search(
            r"parts C (\d+); kernel C_part (.*?)  \(", row).groups()
        out, _ = self.cetane("build", "g.dsl", *SIZES, "--emit=poly")
        self.assertIn(f"kernel g_C_part tiled {block} grid", out.decode())
        self.assertIn("batch \"{ [(%s)] }\"" % parts, out.decode())

    def test_usage(self):
        self.cetane("tune", "--device=host", code=2,
                    says="--dry-run or --schedule beside it")
        self.cetane("tune", "--dry-run", "--suite=none", code=2,
                    says="suite/form")
        self.write("sizes", "64 64\n")
        self.cetane("tune", "--dry-run", "--suite=elementwise/add",
                    "--sizes=sizes", code=1, says="error[E720]")


SCRIPT = """distribute(0, "j")
distribute(0, "i")
local T, two = tune("T", {4, 8, 256}), "no"
tile(1, {"i", "j", "k"}, {T, 8, 4}, {ctrl = {"ii", "jj", "kk"}})
gpu{stmt = 1, block = {"jj", "ii"}, thread = {"j", "i"}}
stage(1, "a", "kk")
if tune("b_too", {"no", "yes"}) == "yes" then
	stage(1, "b", "kk")
	two = tune("two", {"no", "yes"})
end
if two == "yes" then pipeline(1, "kk") end
print("not a word of this")
"""
NEST = """void mm(int n, float a[n][n], float b[n][n], float c[n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			c[i][j] = 0.0f;
			for (int k = 0; k < n; k++)
				c[i][j] += a[i][k] * b[k][j];
		}
}
"""


class Scripts(command.Case):
    """What scripts leave open."""

    def setUp(self):
        super().setUp()
        self.write("mm.c", NEST)
        self.write("s.lua", SCRIPT)
        done = command.subprocess.run(
            [command.CETANE, "build", "mm.c", "--schedule=s.lua", "-o", "-"],
            capture_output=True, text=True)
        if "E337" in done.stderr:
            self.skipTest("without Lua")

    def tune(self, *args, n=256, **more):
        out, err = self.cetane("tune", "mm.c", f"-Dn={n}", "--schedule=s.lua", *args,
                               **more)
        return out.decode(), err

    def listed(self, out):
        """The candidates: cycles and values."""
        return [(int(cycles), values) for cycles, values in re.findall(
            r"^ +\d+ +(\d+) cycles  (.*?)(?:  \(the model's choice\))?$", out, re.M)]

    def test_every_choice(self):
        """Values that are asked for only now and then; one that is refused: 2048
        threads are none."""
        out, _ = self.tune("--dry-run")
        self.assertNotIn("not a word", out)
        self.assertIn("T: 3 values; b_too: 2 values; 7 tried, 1 refused", out)
        rows = self.listed(out)
        self.assertEqual(sorted(values for _, values in rows), sorted(
            f"T {t}; b_too {rest}" for t in (4, 8)
            for rest in ("no", "yes; two no", "yes; two yes")))
        self.assertEqual([c for c, _ in rows], sorted(c for c, _ in rows))
        # The cycles are those that inspect tells.
        for cycles, values in rows[:2]:
            self.write("d", values.replace("; ", "\n") + "\n")
            told, _ = self.cetane("inspect", "mm.c", "-Dn=256", "--schedule=s.lua",
                                  "--decisions=d", "--arch=sm_90a", "--json")
            each = re.findall(rb'"predicted_cycles": ."all": (\d+)', told)
            self.assertTrue(each)
            self.assertAlmostEqual(sum(map(int, each)), cycles, delta=len(each))
        out, _ = self.tune("--dry-run", "--budget=3")
        self.assertIn("3 tried, ", out)

    def test_host(self):
        """The model decides, and the host device verifies what it has decided."""
        out, _ = self.tune("--device=host", "--decisions=best", n=40)
        best = self.listed(out)[0][1]
        self.assertIn("verified against", out)
        lines = [line for line in self.read("best").decode().splitlines()
                 if not line.startswith("#")]
        self.assertEqual(lines, best.split("; "))
        built, _ = self.cetane("run", "mm.c", "-Dn=40", "--schedule=s.lua",
                               "--decisions=best")
        self.assertIn(b"verified", built)

    def test_refused(self):
        """If no choice fits, the first step that does not is named."""
        self.write("s.lua", SCRIPT.replace('"i", "j", "k"}, {T', '"i", "m", "k"}, {T'))
        self.tune("--dry-run", code=1, says="s.lua:4:1: error[E332]: tile")
        self.write("s.lua", 'print_code()\n')
        self.tune("--dry-run", code=1, says="leaves nothing open")
        for bad in '"a b", {1}', '"T", {"a b"}', '"T", {""}', '7, {1}':
            self.write("s.lua", f"tune({bad})\n")
            self.tune("--dry-run", code=1, says="s.lua:1:1: error[E331]")
        self.tune("--dry-run", "-o", "t.db", code=2, says="--decisions=FILE")
        self.tune("--dry-run", "--resume=t", code=2, says="--resume")
        self.write("sizes", "8\n16\n")
        self.tune("--dry-run", "--sizes=sizes", code=1, says="one size at a time")
        self.cetane("tune", "--schedule=s.lua", code=2, says="not with --suite")


class Database(command.Case):
    def setUp(self):
        super().setUp()
        self.write("g.dsl", SOURCE)
        self.write("sizes", "512 512 512\n")
        out, _ = self.cetane("tune", "--dry-run", "--suite=gemm/nn",
                             "--sizes=sizes", "--budget=1")
        self.hash = re.search(rb"program (\w{16})", out)[1].decode()

    def line(self, sizes="M=512,N=512,K=512", program=None, arch="sm_90a",
             version=command.VERSION, config=CONFIG):
        return (f"gemm-nn {program or self.hash} {sizes} {arch} Some_GPU "
                f"{version} 0.015 0.016 : {config}")

    def database(self, *lines, head="cetane-tuning 1"):
        self.write("t.db", "\n".join(["# comment", head, *lines]) + "\n")

    def poly(self, *args, source="g.dsl", **more):
        out, err = self.cetane("build", source, "--stop-after=map_tiles",
                               "--no-check", "--tuning=t.db", *args, **more)
        return out.decode(), err

    def test_build_run_and_inspect(self):
        self.database(self.line())
        out, _ = self.poly(*SIZES)
        self.assertIn(f"kernel g_C_part tiled {BLOCK} grid", out)
        self.assertIn('batch "{ [(2)] }"', out)
        none, _ = self.poly(*SIZES, "--tuning=none")
        self.assertNotIn(BLOCK, none)
        out, _ = self.cetane("inspect", "g.dsl", *SIZES, "--tuning=t.db",
                             "--explain")
        self.assertIn(b"g: blocks and parts of line 3 of t.db, tuned for "
                      b"M=512,N=512,K=512 on Some_GPU", out)
        out, _ = self.cetane("inspect", "g.dsl", *SIZES, "--explain")
        self.assertIn(b"g: blocks and parts of the model\n", out)
        small = self.line("M=40,N=48,K=260")
        self.database(small)
        out, _ = self.cetane("run", "g.dsl", "-DM=40", "-DN=48", "-DK=260",
                             "--tuning=t.db", "--sanitize=all")
        self.assertIn(b"verified", out)

    def test_the_model_was_best(self):
        self.database(self.line(config="model"))
        out, err = self.poly(*SIZES)
        self.assertEqual(out, self.poly(*SIZES, "--tuning=none")[0])
        self.assertNotIn("W718", err)
        out, _ = self.cetane("inspect", "g.dsl", *SIZES, "--tuning=t.db",
                             "--explain")
        self.assertIn(b"g: blocks and parts of the model, which line 3 of "
                      b"t.db found the best on Some_GPU", out)

    def test_the_program_counts_not_its_text(self):
        self.database(self.line())
        self.write("other.dsl", "// of another name\n\n" +
                   SOURCE.replace(" * ", "  *\n"))
        out, _ = self.poly(*SIZES, source="other.dsl")
        self.assertIn(f"kernel other_C_part tiled {BLOCK}", out)
        for text in (SOURCE.replace("A * B", "A * B + A * B"),
                     SOURCE.replace("FLOAT", "DOUBLE")):
            self.write("other.dsl", text)
            out, _ = self.poly(*SIZES, source="other.dsl")
            self.assertNotIn(BLOCK, out)
        out, _ = self.poly(*SIZES, "--fp=strict")
        self.assertNotIn(BLOCK, out)

    def test_classes_of_sizes(self):
        def is_used(m, n, k):
            out, _ = self.poly(f"-DM={m}", f"-DN={n}", f"-DK={k}")
            return BLOCK in out

        self.database(self.line())
        self.assertTrue(is_used(512, 512, 512))
        self.assertTrue(is_used(640, 412, 600))
        self.assertFalse(is_used(644, 512, 512))
        self.assertFalse(is_used(512, 408, 512))
        self.assertFalse(is_used(511, 512, 512))
        # Sizes that are not known have no class.
        out, _ = self.poly()
        self.assertNotIn(BLOCK, out)
        # The nearest result counts.
        other = CONFIG.replace("stages 2", "stages 3")
        self.database(self.line(), self.line("M=560,N=512,K=512",
                                             config=other))
        self.assertTrue(is_used(532, 512, 512))
        self.assertFalse(is_used(540, 512, 512))

    def test_facts(self):
        """How sure the times are is told, and changes nothing."""
        self.database(self.line())
        plain = self.poly(*SIZES)
        for facts in " mhz=1980", " spread=0.4%", " spread=1% mhz=900":
            self.database(self.line().replace(" : ", facts + " : "))
            self.assertEqual(self.poly(*SIZES), plain)
            out, _ = self.cetane("inspect", "g.dsl", *SIZES, "--tuning=t.db",
                                 "--explain")
            for fact, words in (("mhz=1980", "at 1980 MHz"),
                                ("mhz=900", "at 900 MHz"),
                                ("spread=0.4%", "within 0.4 %"),
                                ("spread=1%", "within 1 %")):
                self.assertEqual(words.encode() in out, fact in facts)

    def test_other_architectures(self):
        self.database(self.line(arch="sm_80"))
        self.assertNotIn(BLOCK, self.poly(*SIZES)[0])
        self.assertIn(BLOCK, self.poly(*SIZES, "--arch=sm_80")[0])

    def test_lines_that_are_not_used(self):
        self.database()
        plain, _ = self.poly(*SIZES, "--tuning=none")
        for line, why in (
                (self.line(version="0.0.1"), "another version"),
                (self.line(config="parts C"), "cannot be read"),
                (self.line(config="kernel C_part thread 8 8 tile 9 9 9"),
                 "the program cannot have"),
                (self.line(config="parts D 2"), "the program cannot have"),
                ("gemm-nn", "no configuration"),
                ("a b c : parts C 2", "eight words"),
                (self.line().replace(" : ", " fast : "), "neither mhz="),
                (self.line().replace(" : ", " mhz=fast : "), "neither mhz="),
                (self.line().replace(" : ", " spread=3 : "), "neither mhz="),
                (self.line(program="12"), "no hash"),
                (self.line(arch="sm_1"), "no architecture"),
                (self.line().replace("0.015", "fast"), "no numbers"),
                (self.line().replace("0.016", "0"), "no numbers")):
            self.database(line)
            out, err = self.poly(*SIZES)
            self.assertIn("warning[W718]: t.db: line 3 is not used: ", err)
            self.assertIn(why, err)
            self.assertEqual(out, plain)
        # Those of other programs are not our business.
        self.database(self.line(program="0" * 16, version="0.0.1"))
        self.assertEqual(self.poly(*SIZES)[1], "")

    def test_no_database(self):
        for head in "", "cetane-tuning 2", "cetane-tuning 10", "rubbish":
            self.database(head=head)
            self.poly(*SIZES, code=2, says="error[E719]")
        self.write("t.db", b"cetane-tuning 1\n\0\n")
        self.poly(*SIZES, code=2, says="error[E719]")
        self.poly("--tuning=missing", code=2, says="E610")

    def test_dependency(self):
        self.database(self.line())
        self.poly("-o", "g.poly", "--depfile=d")
        self.assertIn(b" t.db", self.read("d"))


class Search(command.Case):
    """On a driver that is a fake: a launch takes half a millisecond, and a
    microsecond for each thread of a block; so blocks of 64 threads are best.
    """
    def setUp(self):
        super().setUp()
        self.write("sizes", "64 48 32\n")
        self.env = {"CETANE_DRIVER": FAKE, "FAKE_CUDA_CAPABILITY": "90",
                    "FAKE_CUDA_LAUNCH_MS": "0.5",
                    "FAKE_CUDA_THREAD_MS": "0.001",
                    "FAKE_CUDA_KERNELS": KERNELS}

    def tune(self, *args, budget=11, env=None, **more):
        return self.cetane("tune", "--suite=gemm/nn", "--sizes=sizes",
                           f"--budget={budget}", *args,
                           env=dict(self.env, **(env or {})), **more)

    def rows(self, name="rows.tsv"):
        lines = [line.split("\t") for line in
                 self.read(name).decode().splitlines() if line[0] != "#"]
        return [dict(zip(lines[0], line)) for line in lines[1:]]

    def test_plot_of_long_names(self):
        self.write(f"{'p' * 60}.dsl", re.sub(r"\b([MNK])\b", lambda m:
                                            m[1] * 60, SOURCE))
        sizes = [f"-D{c * 60}=32" for c in "MNK"]
        self.cetane("tune", f"{'p' * 60}.dsl", *sizes, "--budget=1", "-o",
                    "plot.svg", env=self.env)
        svg = xml.etree.ElementTree.fromstring(self.read("plot.svg"))
        command.texts_inside(self, svg)
        self.assertTrue(any(text.get("textLength") for text in svg.findall(
            "{http://www.w3.org/2000/svg}text")))

    def test_search(self):
        out, _ = self.tune("-o", "t.db", "-o", "rows.tsv", "-o", "plot.svg")
        self.assertIn(b"224 configurations", out)
        self.assertRegex(out, rb"11 tried, 11 verified; model 0.6280 ms, "
                         rb"best 0.5640 ms, rank \d+: 1.113\n  kernel C ")
        self.assertIn(b"1 sizes: the model's choice takes 1.113", out)
        rows = self.rows()
        first = [r for r in rows if r["run"] == "first"]
        final = [r for r in rows if r["run"] == "final"]
        self.assertEqual([int(r["rank"]) for r in first], list(range(11)))
        self.assertEqual(len(final), 4)
        for r in rows:
            threads = re.search(r"thread (\d+) (\d+)", r["config"])
            ms = 0.5 + 0.001 * int(threads[1]) * int(threads[2])
            self.assertEqual(r["state"], "verified")
            self.assertAlmostEqual(float(r["ms"]), ms, 5)
        self.assertAlmostEqual(float(final[0]["ratio"]), 0.628 / 0.564, 3)
        svg = xml.etree.ElementTree.fromstring(self.read("plot.svg"))
        command.texts_inside(self, svg)
        circles = svg.findall("{http://www.w3.org/2000/svg}circle")
        self.assertEqual(len(circles), 11 + 1)
        # What is found is what is built.
        self.write("g.dsl", SOURCE)
        block = re.search(rb"kernel C (thread .*)", self.read("t.db"))[1]
        facts = re.search(rb" ([^:\n]*) : kernel C", self.read("t.db"))[1]
        for name in "mhz", "spread":
            self.assertEqual((name + "=").encode() in facts,
                             float(final[0][name]) > 0)
        out, _ = self.cetane("build", "g.dsl", "-DM=64", "-DN=48", "-DK=32",
                             "--stop-after=map_tiles", "--tuning=t.db")
        self.assertIn(b"kernel g_C tiled " + block + b" grid", out)

    def test_file(self):
        """Any program of two inputs and an output, by the interpreter."""
        self.write("g.dsl", SOURCE)
        sizes = "-DM=64", "-DN=48", "-DK=32"
        out, _ = self.cetane("tune", "g.dsl", *sizes, "--budget=3", "-o",
                             "t.db", env=self.env)
        self.assertIn(b"program g 64x48x32: program", out)
        self.assertIn(b"3 tried, 3 verified", out)
        self.assertRegex(self.read("t.db"), rb"g \w{16} M=64,N=48,K=32 ")
        listed, _ = self.cetane("tune", "g.dsl", "--sizes=sizes",
                                "--dry-run", "--budget=3")
        self.assertIn(b"program g 64x48x32", listed)
        self.cetane("tune", "g.dsl", *sizes, "--budget=1", code=5,
                    says="E713", env=dict(self.env, FAKE_KERNEL_WRONG="0"))
        self.cetane("tune", "g.dsl", "-DM=64", "--dry-run", code=2,
                    says="error[E701]")
        self.cetane("tune", "none.dsl", "--dry-run", code=1, says="E551")
        self.write("bad.dsl", "Params M;\nC = A * B;\n")
        self.cetane("tune", "bad.dsl", "--dry-run", code=1, says="E201")
        self.write("i.dsl", SOURCE.replace("FLOAT", "INT"))
        self.cetane("tune", "i.dsl", *sizes, "--dry-run", code=1,
                    says="error[E720]")
        self.write("bad", "64 48\n")
        self.cetane("tune", "g.dsl", "--sizes=bad", "--dry-run", code=1,
                    says="error[E720]")

    def test_halves(self):
        """Elements of any type of floats; the bound is that of the type."""
        self.write("h.dsl", "param M, N, K;\ntensor bf16 A(M,K), B(K,N);\n"
                   "out C(i,j) = bf16(sum(k: f32(A(i,k)) * f32(B(k,j))));\n")
        sizes = "-DM=64", "-DN=48", "-DK=32"
        env = dict(self.env, FAKE_KERNEL_BF16="1", FAKE_CUDA_CAPABILITY="80")
        out, _ = self.cetane("tune", "h.dsl", *sizes, "--budget=3",
                             "-o", "rows.tsv", env=env)
        self.assertIn(b"3 tried, 3 verified", out)
        self.cetane("tune", "h.dsl", *sizes, "--budget=1", code=5,
                    says="E713", env=dict(env, FAKE_KERNEL_WRONG="0"))
        # What is nowhere written is no number.
        self.cetane("tune", "h.dsl", *sizes, "--budget=1", code=5,
                    says="E713", env=dict(env, FAKE_KERNEL_IDLE="128"))

    def test_script(self):
        """The clock decides about what a script leaves open: 16 x 8 threads take longer
        than 8 x 8, and 32 x 8 longer still."""
        self.write("g.dsl", SOURCE)
        self.write("s.lua", 'local x = tune("X", {32, 8, 16})\n'
                   'block("g_C", "thread " .. x .. " 8 tile 128 64 32 stages 2")\n')
        sizes = "-DM=64", "-DN=48", "-DK=32"
        out, _ = self.cetane("tune", "g.dsl", *sizes, "--schedule=s.lua",
                             "--decisions=best", "-o", "rows.tsv", env=self.env)
        self.assertIn(b"3 tried, 3 verified", out)
        times = {r["config"]: float(r["ms"]) for r in self.rows() if r["run"] == "first"}
        self.assertEqual(min(times, key=times.get), "X 8")
        self.assertRegex(self.read("best"), rb"# 0\.5640 ms on .*\nX 8\n$")

    def test_script_in_no_time(self):
        """The first values are listed and timed whatever the limit is."""
        self.write("g.dsl", SOURCE)
        self.write("s.lua", 'local x = tune("X", {32, 8, 16})\n'
                   'block("g_C", "thread " .. x .. " 8 tile 128 64 32 stages 2")\n')
        sizes = "-DM=64", "-DN=48", "-DK=32"
        out, _ = self.cetane("tune", "g.dsl", *sizes, "--schedule=s.lua",
                             "--decisions=best", "--limit=1e-9", "-o", "rows.tsv",
                             env=self.env)
        self.assertIn(b"X: 3 values; 1 tried, 0 refused", out)
        self.assertIn(b"1 tried, 1 verified", out)
        self.assertEqual([r["config"] for r in self.rows()], ["X 32"])
        self.assertRegex(self.read("best"), rb"# 0\.7560 ms on .*\nX 32\n$")

    def test_the_model_stays_if_nothing_is_better(self):
        out, _ = self.tune("-o", "t.db", budget=3,
                           env={"FAKE_CUDA_THREAD_MS": "0"})
        self.assertIn(b"rank 0: 1.000", out)
        self.assertRegex(self.read("t.db"), rb"M=64,N=48,K=32 .* : model\n")

    def test_database_is_kept(self):
        """Comments and other lines stay, those about the same are replaced."""
        other = (f"zz {'1' * 16} - sm_80 X {command.VERSION} 1 2 : "
                 "kernel C thread 8 8 tile 8 8 8")
        self.write("t.db", "# mine\ncetane-tuning 1\n\n# about zz\n" + other
                   + "\n# the end\n")
        self.tune("-o", "t.db", budget=2)
        text = self.read("t.db").decode()
        lines = text.splitlines()
        self.assertEqual(lines[:2], ["# mine", "cetane-tuning 1"])
        self.assertRegex(lines[2], "^gemm_nn ")
        self.assertEqual(lines[3:], ["", "# about zz", other, "# the end"])
        self.tune("-o", "t.db", budget=2)
        self.assertEqual(self.read("t.db").decode(), text)
        out, _ = self.tune("-o", "t.db", budget=11)
        new = self.read("t.db").decode().splitlines()
        self.assertEqual(new[3:], lines[3:])
        self.assertNotEqual(new[2], lines[2])
        self.write("t.db", "rubbish\n")
        self.tune("-o", "t.db", budget=1, code=1, says="error[E719]")
        self.assertEqual(self.read("t.db"), b"rubbish\n")

    def test_resume(self):
        self.tune("--resume=all.tsv", budget=3)
        text = self.read("all.tsv")
        # Nothing is measured again.
        out, _ = self.tune("--resume=all.tsv", budget=3,
                           env={"FAKE_CUDA_LAUNCH_MS": "5"})
        self.assertEqual(self.read("all.tsv"), text)
        self.assertIn(b"model 0.6280 ms", out)
        # A torn line is.
        self.write("all.tsv", text[:-5])
        self.tune("--resume=all.tsv", budget=3)
        self.assertEqual(self.read("all.tsv"), text)
        self.write("all.tsv", text + b"rubbish\n")
        self.tune("--resume=all.tsv", budget=3, code=1,
                  says="no row of results")
        self.write("all.tsv", b"# other\n" + text)
        self.tune("--resume=all.tsv", budget=3, code=1, says="error[E715]")

    def test_wrong_candidates_do_not_count(self):
        out, _ = self.tune("-o", "t.db", budget=2, code=5, says="E713",
                           env={"FAKE_KERNEL_WRONG": "0"})
        self.assertIn(b"2 tried, 0 verified\n", out)
        self.assertNotIn(b"gemm_nn", self.read("t.db"))

    def test_limit_and_failures(self):
        self.tune("--limit=1e-9", budget=2, code=4,
                  says="warning[W714]: stopped after 0 of 1")
        self.tune(budget=2, code=3, env={"FAKE_CUDA_FAIL": "cuGraphLaunch"})
        self.tune(budget=2, code=3, env={"CETANE_DRIVER": "/nonexistent"},
                  says="error[E553]")


if __name__ == "__main__":
    command.main()
