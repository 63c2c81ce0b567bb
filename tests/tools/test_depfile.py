"""--depfile as make and ninja read it; --arch by names; --file-prefix-map."""
import os
import random
import re
import shutil
import subprocess
import unittest

import command

NAMES = ["plain", "with space", "two  spaces", "hash#tag", "dollar$var",
         "back\\slash", "colon:ed", "quote'd"]


def odd_names(n):
    """What make and ninja give a meaning to, in random order."""
    rng = random.Random(1)
    return ["a" + "".join(rng.choices(["\\", "\\", " ", "#", ":", "$", "b"],
                                      k=6)) + "c" for _ in range(n)]


class Depfile(command.Case):
    def test_text(self):
        self.write("flags", "-D M=16\n@more")
        self.write("more", "--map=naive")
        os.mkdir(self.path("out"))
        self.cetane("build", "fig2.dsl", "@flags", "-o", "out/fig2.ptx",
                    "--depfile=out/fig2.d")
        self.assertEqual(self.read("out/fig2.d").decode(),
                         "out/fig2.ptx: fig2.dsl flags more\n")
        for _ in range(2):  # Files that exist have the same names.
            self.cetane("build", "scale.dsl", "--emit=ptx,llvm", "-o", "out/",
                        "--depfile=d")
            self.assertEqual(self.read("d").decode(),
                             "out//scale.ptx out//scale.ll: scale.dsl\n")
        self.cetane("build", "-", "-o", "p.ptx", "--depfile", "d",
                    stdin=command.SCALE.encode())
        self.assertEqual(self.read("d").decode(), "p.ptx:\n")

    @unittest.skipUnless(command.PTXAS, "no ptxas")
    def test_object(self):
        self.cetane("build", "scale.dsl", "--emit=object", "--depfile=d")
        self.assertEqual(self.read("d").decode(),
                         "scale.o scale.h scale.json: scale.dsl\n")

    @unittest.skipUnless(shutil.which("cc"), "no compiler")
    def test_headers(self):
        """What a C file includes, once each, from its folder and from -I."""
        os.makedirs(self.path("src/deep"))
        os.mkdir(self.path("inc"))
        self.write("src/k.h", '#include "deep/l.h"\n#define STEP 2\n')
        self.write("src/deep/l.h", "#define LEAST 1\n")
        self.write("inc/with space.h", "#ifdef WIDE\n#include <w.h>\n#endif\n")
        self.write("inc/w.h", "\n")
        self.write("src/nest.c", '#include "k.h"\n#include "k.h"\n'
                   "#include <with space.h>\n"
                   "void f(int n, float a[n]) {\n"
                   "  for (int i = LEAST; i < n; i += STEP) a[i] = 1; }\n")
        for options, more in ([], ""), (["-DWIDE=1", "-Dn=8"], " inc/w.h"):
            self.cetane("build", "src/nest.c", "-I", "inc", *options,
                        "-o", "nest.ptx", "--depfile=d")
            said = self.read("d").decode()
            self.assertEqual(
                [w for w in said.split("\n")[0].replace("\\ ", "?").split()
                 if not w.startswith("/")],
                ["nest.ptx:", "src/nest.c", "src/k.h", "src/deep/l.h",
                 "inc/with?space.h"] + more.split())

    @unittest.skipUnless(shutil.which("cc"), "no compiler")
    def test_one_preprocessing(self):
        """The text that was read gives the names, too."""
        self.write("h.h", "#define STEP 2\n")
        self.write("nest.c", '#include "h.h"\n'
                   "void f(int n, float a[n]) {\n"
                   "  for (int i = 0; i < n; i += STEP) a[i] = 1; }\n")
        self.write("cc", f'#!/bin/sh\necho >> "{self.path("log")}"\n'
                   'exec cc "$@"\n')
        os.chmod(self.path("cc"), 0o755)
        for kind in ["ptx"] + ["object", "fatbin"] * bool(command.PTXAS):
            self.write("log", "")
            self.cetane("build", "nest.c", f"--emit={kind}", "-o", "x.o",
                        "--depfile=d", env={"CC": self.path("cc")})
            self.assertEqual(self.read("log"), b"\n", kind)
            self.assertIn(b" h.h\n", self.read("d"), kind)

    def test_errors(self):
        before = self.files()
        self.cetane("build", "scale.dsl", "--depfile=d", code=2,
                    says="give -o")
        self.cetane("build", "scale.dsl", "-o", "x.ptx", "--depfile=no/d",
                    code=3, says="no/d")
        self.cetane("build", "scale.dsl", "-o", "a\nb", "--depfile=d",
                    code=2, says="line break")
        self.write("bad.dsl", "Params N;\n?")
        self.cetane("build", "bad.dsl", "-o", "x.ptx", "--depfile=d", code=1)
        os.remove(self.path("bad.dsl"))
        self.assertEqual(self.files(), before)

    @unittest.skipUnless(shutil.which("make"), "no make")
    def test_make(self):
        """Only the dependency file tells make what the target needs."""
        for name in NAMES + odd_names(12):
            shutil.copy(self.path("scale.dsl"), self.path(name + ".dsl"))
            self.cetane("build", name + ".dsl", "-o", name + ".ptx",
                        "--depfile=out.d")
            self.write("Makefile", "include out.d\n%.ptx:\n\t@false\n")
            for touched in False, True:
                os.utime(self.path(name + ".dsl"), (1e9, 1e9))
                if touched:
                    os.utime(self.path(name + ".ptx"), (5e8, 5e8))
                p = subprocess.run(
                    ["make", "-q", name + ".ptx"], cwd=self.folder.name,
                    capture_output=True, text=True)
                self.assertEqual(p.returncode, int(touched),
                                 (name, p.stderr))

    @unittest.skipUnless(shutil.which("ninja"), "no ninja")
    def test_ninja(self):
        """Only the dependency file tells ninja of the file of arguments."""
        for name in NAMES:
            if "\\" in name or "'" in name:
                continue
            source = name + ".dsl"
            shutil.copy(self.path("scale.dsl"), self.path(source))
            self.write(name + ".args", "--map=naive")
            quoted = re.sub(r"([$ :])", r"$\1", name)
            shell = name.replace("$", "\\$$")
            self.write("build.ninja", (
                "rule build\n  depfile = out.d\n  command = "
                f'"{command.CETANE}" build "{shell}.dsl" "@{shell}.args" '
                f'-o "{shell}.ptx" --depfile=out.d\n'
                f"build {quoted}.ptx: build\n"))
            for touched, work in (False, True), (False, False), (True, True):
                if touched:
                    os.utime(self.path(name + ".args"), (4e9, 4e9))
                p = subprocess.run(["ninja"], cwd=self.folder.name,
                                   capture_output=True, text=True)
                self.assertEqual(p.returncode, 0, name + p.stdout)
                self.assertEqual("no work to do" in p.stdout, not work,
                                 (name, p.stdout))
            os.remove(self.path(name + ".ptx"))


class Arch(command.Case):
    def target(self, name):
        out, _ = self.cetane("build", "scale.dsl", "--arch=" + name)
        return re.search(rb"(?m)^\.target (\w+)", out)[1].decode()

    def test_names(self):
        for name, target in (
                ("h100", "sm_90a"), ("H200", "sm_90a"), ("hopper", "sm_90a"),
                ("a100", "sm_80"), ("ampere", "sm_80"), ("turing", "sm_75"),
                ("RTX 4090", "sm_89"), ("rtx-4090", "sm_89"),
                ("ada", "sm_89"), ("b200", "sm_100a"), ("B300", "sm_103a"),
                ("rtx5090", "sm_120a"), ("sm90a", "sm_90a"),
                ("SM_121", "sm_121"), ("NVIDIA H200", "sm_90a"),
                ("NVIDIA GeForce RTX 4090", "sm_89"), ("Tesla T4", "sm_75"),
                ("NVIDIA A100-SXM4-80GB", "sm_80"),
                ("NVIDIA H100 80GB HBM3", "sm_90a"),
                ("NVIDIA RTX 6000 Ada Generation", "sm_89")):
            self.assertEqual(self.target(name), target)

    def test_families_in_objects(self):
        self.cetane("build", "scale.dsl", "--arch=blackwell", code=2,
                    says="--emit=object")
        if not command.PTXAS:
            self.skipTest("no ptxas")
        self.cetane("build", "scale.dsl", "--arch=h100,blackwell,sm_100,H200",
                    "--emit=object")
        self.assertEqual(re.findall(
            r'"kind": "(\w+)", "arch": "(\w+)"',
            self.read("scale.json").decode()),
            [("cubin", "sm_90a"), ("cubin", "sm_100"), ("cubin", "sm_110"),
             ("cubin", "sm_120"), ("ptx", "sm_90")])

    def test_nearest(self):
        for name, best in (("h1000", "h100"), ("hoper", "hopper"),
                           ("rtx4900", "rtx4090"), ("sm_90b", "sm_90"),
                           ("blackwel", "blackwell")):
            self.cetane("build", "scale.dsl", "--arch=" + name, code=2,
                        says=f"did you mean {best}")
        for name in "..", "NVIDIA", "80GB", "x" * 64:
            self.cetane("build", "scale.dsl", "--arch=" + name, code=2)
        _, err = self.cetane("build", "scale.dsl", "--arch=..", code=2)
        self.assertIn("h100 or ada", err)


class Prefix(command.Case):
    def files_named(self, *args):
        out, _ = self.cetane("build", self.path("scale.dsl"), *args)
        return re.findall(rb'(?m)^\s*\.file\s+1 "([^"]*)"', out)

    def test_names_of_sources(self):
        folder = self.folder.name
        self.assertEqual(self.files_named(), [b"scale.dsl"])
        self.assertEqual(self.files_named(
            f"--file-prefix-map={folder}=src"), [b"src/scale.dsl"])
        self.assertEqual(self.files_named(
            f"--file-prefix-map={folder}=src",
            f"--file-prefix-map={folder}/=", "--file-prefix-map=/x=/y"),
            [b"scale.dsl"])
        self.assertEqual(self.files_named(
            f"--file-prefix-map={folder}/scale=a=b"), [b"a=b.dsl"])
        self.cetane("build", "scale.dsl", "--file-prefix-map=x", code=2,
                    says="OLD=NEW")
        self.assertEqual(self.files_named(
            f'--file-prefix-map={folder}/=*/"'), [b"*/_scale.dsl"])
        for kind in "poly", "llvm", "llvm-opt":
            out, _ = self.cetane("build", self.path("scale.dsl"),
                                 "--emit=" + kind)
            self.assertIn(b"scale.dsl", out)
            self.assertNotIn(folder.encode(), out)


if __name__ == "__main__":
    command.main()
