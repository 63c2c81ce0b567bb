"""Files whose names hold quotes, backslashes, line breaks and the like: in
messages, markers of lines, headers, manifests, dependencies and code.
"""
import json
import os
import re
import shutil
import subprocess
import unittest

import command

NAMES = ['quo"te', "back\\slash", "back\\", "line\nbreak", "tab\there",
         "*/ end", "x/* begin", "per%s%n", "do$l#r", "sp  ace", "semi;colon",
         "apo'strophe", "esc\033[31m", "</text>&lt;", "\\n", '\\"', "{ }",
         "é", "trigraph??/", "# 1 \"x.c\"", "-x", "new.c:1:1: error: x",
         "line\nnew.c:9:9: error[E101]: x", "a\r", ":3:4", "\\x41\\101"]
BYTES = b"bad\xff\xfebytes"
# Several of them at once, for what takes longer.
MIXED = ['quo"te \\back\\', "line\nbreak\ttab", "x/* be*/gin", "per%s$l#r'",
         "esc\033[31m</text>&lt;", "\\n\\\"??/", "line\nf.c:9:9: error: x",
         os.fsdecode(BYTES)]

NEST = ("#include \"%s\"\nvoid f(int n, double a[n])\n{\n"
        "\tfor (int i = 0; i < n; i++)\n\t\ta[i] = STEP * a[i];\n}\n")


def shown(name):
    """As messages show the name."""
    return re.sub(r"[\x00-\x1f\x7f]", lambda m: {"\n": "\\n", "\t": "\\t",
                  "\r": "\\r"}.get(m[0], "\\x%02x" % ord(m[0])), name)


class Names(command.Case):
    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        super().write(name, content)

    def make(self, *args):
        out = self.run_raw(*args)
        self.assertEqual(out.returncode, 0, (args, out.stderr))
        return out.stdout.decode(errors="surrogateescape")

    def complaints(self, *args):
        out = self.run_raw(*args)
        self.assertEqual(out.returncode, 1, (args, out.stderr))
        return out.stderr.decode(errors="surrogateescape")

    def test_messages(self):
        """One line, which begins with the name and the place."""
        for name in NAMES + [os.fsdecode(BYTES)]:
            for text, ending, place in (
                    ("y(i) = zz(i);\n", ".dsl", ":1:8: error[E201]"),
                    ("# 1 \"o.c\"\nvoid f(int n)\n{ zz = 1; }\n", ".i",
                     ":3:3: error[E251]"),
                    (NEST % "h.h", ".c", ":5:10: error[E251]")):
                self.write(name + ending, text)
                self.write("h.h", "\n")
                said = self.complaints("check", "./" + name + ending)
                first = "./" + shown(name) + ending + place
                self.assertEqual([line for line in said.split("\n")
                                  if "error[" in line and
                                  not line.startswith("    ")],
                                 [line for line in said.split("\n")
                                  if line.startswith(first)], said)
                self.assertTrue(said.startswith(first), (name, said))
            said = self.run_raw("check", "./" + name + ".no").stderr.decode(
                errors="surrogateescape")
            self.assertEqual(said.count("\n"), 1, said)
            self.assertIn("cannot read ./" + shown(name) + ".no", said)

    def test_preprocessor(self):
        """What the preprocessor complains about, at its place."""
        for name in NAMES:
            self.write(name + ".c", "int i;\n#error so it is\n")
            said = self.complaints("check", "./" + name + ".c")
            self.assertIn("./" + shown(name) + ".c:2:2: error[E156]: the "
                          "preprocessor says: #error so it is", said)

    def test_headers(self):
        """Of a header of such a name messages do not speak as of the file."""
        for name in NAMES:
            self.write(name + ".c", NEST % (name + ".h" if not re.search(
                '[\n"\r]', name) else "h.h"))
            for header in (name + ".h", "h.h"):
                self.write(header, "\n\n\n\n#define STEP 2\n"
                           "static int other(void) { return 3; }\n")
            out = self.run_raw("run", "./" + name + ".c", "-Dn=5")
            self.assertEqual(out.returncode, 0, (name, out.stderr))

    @unittest.skipUnless(shutil.which("make"), "no make")
    def test_dependencies(self):
        """Headers in --depfile, as make reads it."""
        for name in NAMES:
            if re.search(r"[\n\"\r;%:]", name):
                continue
            self.write(name + ".h", "#define STEP 2\n")
            self.write("f.c", NEST.replace("%s", name + ".h"))
            self.make("build", "f.c", "-o", "f.ptx", "--depfile=f.d")
            os.remove(self.path("f.ptx"))
            self.write("Makefile", "f.ptx:; @echo made > f.ptx\n"
                       "include f.d\n")
            subprocess.run(["make", "-s"], cwd=self.folder.name, check=True,
                           capture_output=True)
            old = os.stat(self.path("f.ptx")).st_mtime_ns
            os.utime(self.path(name + ".h"), ns=(old + 10**9, old + 10**9))
            self.assertNotEqual(subprocess.run(
                ["make", "-q"], cwd=self.folder.name, check=False,
                capture_output=True).returncode, 0, name)

    def test_stages(self):
        """Each text that is read back, and the host device."""
        for name in MIXED:
            self.write(name + ".dsl", command.SCALE)
            source = "./" + name + ".dsl"
            for emit in ("poly", "llvm", "llvm-opt"):
                self.make("build", source, "--emit=" + emit, "-o", "out")
                self.make("build", "out", "-o", "ptx", "--from=" +
                          emit.split("-")[0])
            text = self.read("ptx").decode(errors="surrogateescape")
            files = re.findall(r"(?m)^\s*\.file.*$", text)
            self.assertTrue(all(re.fullmatch(
                r'\s*\.file\s+\d+ "[^"\n]*"', line) for line in files), text)
            if command.PTXAS:
                subprocess.run([command.PTXAS, "-arch=sm_90a", "-o",
                                self.path("cubin"), self.path("ptx")],
                               check=True)
            self.make("run", source, "-DN=3", "--sanitize=all")

    @unittest.skipUnless(command.PTXAS and shutil.which("cc"), "no assembler")
    def test_objects(self):
        """The header is C; the manifest is JSON and has the name."""
        for name in MIXED:
            self.write(name + ".dsl", command.SCALE)
            self.make("build", "./" + name + ".dsl", "--emit=object", "-o",
                      "o.o")
            self.write("use.c", '#include "o.h"\nint x;\n')
            subprocess.run(["cc", "-c", "-Wall", "-Werror", "use.c"],
                           cwd=self.folder.name, check=True)
            manifest = json.loads(self.read("o.json").decode())
            self.assertEqual(
                manifest["source"]["name"], os.path.basename(name).encode(
                    errors="surrogateescape").decode(errors="replace") +
                ".dsl")
            for file in (name + ".o", "o.o"):
                os.rename(self.path("o.o"), self.path(file))
                said = self.make("inspect", "./" + file)
                self.assertIsNone(re.search("[\x00-\x08\x0b-\x1f]", said))
                self.assertIn("made from " + os.path.basename(shown(name)) +
                              ".dsl, sha256 ", self.read(file).decode(
                                  errors="surrogateescape"))
                self.assertIn("in ./" + shown(file) + ": ABI", said)
                os.rename(self.path(file), self.path("o.o"))

    def test_inspect(self):
        for name in MIXED:
            self.write(name + ".dsl", command.SCALE)
            said = self.make("inspect", "./" + name + ".dsl")
            self.assertIsNone(re.search("[\x00-\x08\x0b-\x1f]", said), said)
            json.loads(self.make("inspect", "./" + name + ".dsl", "--json"))
            svg = self.make("inspect", "./" + name + ".dsl", "--schedule",
                            "--svg")
            self.assertNotIn("\033", svg)


if __name__ == "__main__":
    unittest.main()
