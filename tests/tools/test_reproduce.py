"""build --verify-reproducible: a second build elsewhere, and what differs there."""
import os
import shutil
import unittest

import command

NEST = """#include "k.h"
#if __has_include("beside.h")
#define STEP 3
#else
#define STEP 2
#endif
void f(int n, float a[n]) {
  for (int i = LEAST; i < n; i += STEP) a[i] = 1; }
"""
# An assembler whose code depends on what the place of OTHER has.
ASSEMBLER = """#!/bin/sh
"%s" "$@" || exit
case "$*" in *--version*) exit ;; esac
out=
while [ $# -gt 0 ]; do
  case "$1" in -o|--output-file) out=$2 ;; esac
  shift
done
[ -z "$out" ] || printf '%%s' "$OTHER" >> "$out"
"""


class Reproduce(command.Case):
    def build(self, *args, code=0, says="R734", env=None, stdin=b""):
        """Build with the option; temporary files are in a folder of the test, where
        nothing is left.
        """
        os.makedirs(self.path("temp"), exist_ok=True)
        env = dict(env or {}, TMPDIR=self.path("temp"))
        result = self.cetane("build", *args, "--verify-reproducible", code=code,
                             says=says, env=env, stdin=stdin)
        self.assertEqual(os.listdir(self.path("temp")), [])
        return result

    def test_same(self):
        """Every kind, absolute names, a program from the standard input."""
        for args in (["fig2.dsl", "--emit=ptx,poly,llvm-opt,html", "-o", "x"],
                     [self.path("fig2.dsl"), "--emit=object", "--arch=sm_80",
                      "--selftest", f"--file-prefix-map={self.path('')}=here/",
                      "-o", "a.o"]):
            with self.subTest(args):
                self.build(*args)
        self.assertEqual({"x.ptx", "x.poly", "x.opt.ll", "x.html", "a.o", "a.h",
                          "a.json"} - set(self.files()), set())
        out = self.build("-", "-o", "-", stdin=command.FIG2.encode())[0]
        self.assertIn(b".visible .entry", out)

    def test_same_bytes_as_without(self):
        self.cetane("build", "fig2.dsl", "-o", "plain.ptx")
        self.build("fig2.dsl", "-o", "twice.ptx")
        self.assertEqual(self.read("plain.ptx"), self.read("twice.ptx"))

    def test_files_of_options(self):
        self.write("blocks", "cetane-config 1\nparts D 2\n")
        self.write("s.lua", "dofile('more.lua')\n")
        self.write("more.lua", "print_space()\n")
        self.build("fig2.dsl", "--config=blocks", "-DM=64", "-DN=64", "-DK=64",
                   "-o", "x.ptx")
        self.build("scale.dsl", "--schedule", "s.lua", "-DN=64", "-o", "y.ptx")

    @unittest.skipUnless(shutil.which("cc"), "no compiler")
    def test_headers(self):
        """Headers are copied; what is not read but looked for is not there."""
        os.makedirs(self.path("src"))
        os.makedirs(self.path("inc"))
        self.write("src/nest.c", NEST)
        self.write("inc/k.h", "#define LEAST 1\n")
        for include in "inc", self.path("inc"):
            self.build("src/nest.c", "-I", include, "-o", "x.ptx",
                       "--depfile=x.d")
        self.assertIn(b"inc/k.h", self.read("x.d"))
        os.remove(self.path("x.ptx"))
        self.write("src/beside.h", "")
        err = self.build("src/nest.c", "-I", "inc", "-o", "x.ptx", code=5,
                         says="error[E733]: x.ptx is not reproducible")[1]
        self.assertRegex(err, r'differs in line \d+: it has ".*", not ".*"')
        self.assertNotIn("x.ptx", self.files())

    @unittest.skipUnless(command.PTXAS, "no ptxas")
    def test_environment(self):
        """Code that depends on a variable or on the folder is found."""
        self.write("ptxas", ASSEMBLER % command.PTXAS)
        os.chmod(self.path("ptxas"), 0o755)
        env = {"CETANE_PTXAS": self.path("ptxas")}
        self.write("ptxas", self.read("ptxas").decode().replace("$OTHER", "same"))
        os.chmod(self.path("ptxas"), 0o755)
        self.build("scale.dsl", "--emit=cubin", "-o", "x.cubin", env=env)
        for other in "$LC_ALL", "$TZ", "$(pwd)", "$(nproc)$LANGUAGE":
            self.write("ptxas", (ASSEMBLER % command.PTXAS).replace(
                "$OTHER", other))
            os.chmod(self.path("ptxas"), 0o755)
            self.build("scale.dsl", "--emit=cubin", "-o", "y.cubin", code=5,
                       says="error[E733]: y.cubin", env=env)
        self.assertNotIn("y.cubin", self.files())

    def test_cache(self):
        """What the cache holds is compared with a build, not with itself."""
        env = {"CETANE_CACHE_DIR": self.path("kept")}
        for _ in range(2):
            self.build("fig2.dsl", "-o", "x.ptx", env=env)
        self.assertEqual(len(os.listdir(self.path("kept"))), 1)

    def test_refused(self):
        self.cetane("build", "--emit=runtime", "--verify-reproducible", code=2,
                    says="nothing is built")
        self.build("none.dsl", code=1, says="none.dsl")
        self.write("wrong.dsl", "C = A;\n")
        self.build("wrong.dsl", code=1, says="wrong.dsl:1")

    def test_second_fails(self):
        """A script elsewhere is not in the copy."""
        os.makedirs(self.path("deep"))
        self.write("s.lua", "dofile('deep/more.lua')\n")
        self.write("deep/more.lua", "print_space()\n")
        self.cetane("build", "scale.dsl", "--schedule=s.lua", "-DN=64", "-o",
                    "x.ptx")
        self.build("scale.dsl", "--schedule=s.lua", "-DN=64", "-o", "y.ptx",
                   code=5, says="E735")


if __name__ == "__main__":
    command.main()
