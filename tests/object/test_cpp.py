"""cetane.hpp: compiles without a warning, and runs an object on the host device."""
import os
import shutil
import subprocess
import sys
import unittest

SOURCE = os.environ.get("CETANE_SOURCE", os.path.abspath("."))
sys.path.insert(0, os.path.join(SOURCE, "tests", "tools"))
import command  # noqa: E402

RUNTIME = os.environ.get("CETANE_RT", "build/libcetane_rt.a")
SANITIZE = os.environ.get("CETANE_SANITIZE", "")
MM = """Params M, K, N;
Matrix A(M,K);
Matrix B(K,N);
Matrix C(M,N);
D = A * B + C;
CodeGen(FLOAT, {D});
"""


class Header(command.Case):
    @unittest.skipUnless(shutil.which("g++") or shutil.which("clang++"),
                         "no compiler of C++")
    def test_runs(self):
        self.write("mm.dsl", MM)
        self.cetane("build", "mm.dsl", "--emit=object", "--arch=sm_80")
        flags = ["-fsanitize=" + SANITIZE] if SANITIZE else []
        for compiler in filter(shutil.which, ["g++", "clang++"]):
            if flags and compiler == "clang++":
                continue
            subprocess.run([compiler, "-std=c++17", "-Wall", "-Wextra",
                            "-Werror", "-pedantic", *flags, "-I", SOURCE, "-I.",
                            "-o", "raii",
                            os.path.join(SOURCE, "tests", "object", "raii.cpp"),
                            "mm.o", RUNTIME, "-lpthread", "-ldl"],
                           cwd=self.folder.name, check=True)
            done = subprocess.run([self.path("raii")], text=True,
                                  capture_output=True)
            self.assertEqual((done.returncode, done.stdout), (0, "right\n"),
                             done.stderr)


if __name__ == "__main__":
    unittest.main()
