"""Objects that a test builds, links with a program in C or C++ and runs."""
import os
import shutil
import subprocess
import sys
import unittest

SOURCE = os.environ.get("CETANE_SOURCE", os.path.abspath("."))
sys.path.insert(0, os.path.join(SOURCE, "tests", "tools"))
import command  # noqa: E402

HERE = os.path.join(SOURCE, "tests", "object")
CC = os.environ.get("CETANE_CC", "cc")
CXX = shutil.which("g++") or shutil.which("clang++")
RUNTIME = os.environ.get("CETANE_RT", "build/libcetane_rt.a")
SANITIZE = os.environ.get("CETANE_SANITIZE", "")
WARNINGS = "-Wall -Wextra -Werror -Wstrict-prototypes".split()
FAKE = os.environ.get("CETANE_FAKE_CUDA", "build/tests/runtime/libfake_cuda.so")
needs_ptxas = unittest.skipUnless(command.PTXAS, "no ptxas")

MM = """Params M, K, N;
Matrix A(M,K);
Matrix B(K,N);
Matrix C(M,N);
D = A * B + C;
CodeGen(FLOAT, {D});
"""
# The order of the matrices in the call is that of the text.
CHAIN = """Params M, K, N;
Matrix W(N,K);
Matrix X(M,K);
Matrix Y(K,N);
T = X * Y;
Z = T * W;
CodeGen(FLOAT, {Z});
"""
HALF = """Params M, K, N;
Matrix A(M,K);
Matrix B(K,N);
C = A * B;
CodeGen(HALF, {C});
"""
SOFTMAX = """param N, M;
tensor f32 x(N,M);
m(i) max= x(i,j);
s(i) += exp(x(i,j) - m(i));
out y(i,j) = exp(x(i,j) - m(i)) / s(i);
"""


class Case(command.Case):
    def build(self, name, text, *args, **more):
        """Build the text, which file "name" gets; the name of the object."""
        self.write(name, text)
        self.cetane("build", name, "--emit=object", *args, **more)
        return name.split(".")[0]

    def link(self, source, *words, compiler=CC, standard="c11", runtime=RUNTIME):
        """Compile a source of this folder, with objects and flags; its path."""
        flags = ["-fsanitize=" + SANITIZE] if SANITIZE and runtime == RUNTIME else []
        subprocess.run([compiler, "-std=" + standard, "-Wall", "-Wextra",
                        "-Werror", "-D_GNU_SOURCE", *flags, "-I", SOURCE,
                        "-I.", "-o", "program", os.path.join(HERE, source),
                        *words, runtime, "-lpthread", "-ldl", "-lm"],
                       cwd=self.folder.name, check=True)
        return self.path("program")

    def run_linked(self, *args, **more):
        """What becomes of the program, which link() was told to make."""
        return subprocess.run([self.link(*args, **more)], text=True,
                              capture_output=True)
