"""NAME_strided: elements any strides apart, gaps neither read nor written."""
import re
import unittest

import linked
from linked import MM

# Each runs its self-test with rows apart and gaps that are NaN or -1.
PROGRAMS = {
    "chain.dsl": (linked.CHAIN, []),
    "half.dsl": (linked.HALF, ["-DM=96", "-DK=64", "-DN=136"]),
    "brain.dsl": ("Params M, K, N;\nMatrix A(M,K);\nMatrix B(K,N);\n"
                  "C = A * B;\nCodeGen(BFLOAT16, {C});\n",
                  ["-DM=256", "-DK=64", "-DN=256", "--versions=4"]),
    "many.dsl": (MM, ["--versions=3"]),
    "turn.dsl": ("Params M, N;\nMatrix A(M,N);\nB = A^T;\n", []),
    "fixed_turn.dsl": ("Params M, N;\nMatrix A(M,N);\nB = A^T;\n",
                       ["-DM=160", "-DN=96"]),
    "scatter.dsl": ("param N;\ntensor i32 id(N), g(N,8);\n"
                    "y(b,d) for 0 <= b < 40, 0 <= d < 8 = i32(b);\n"
                    "out y(id(t),d) += g(t,d);\n", []),
    "into.dsl": ("param N;\ntensor i32 id(N), g(N,8);\n"
                 "y(d,b) for 0 <= b < 40, 0 <= d < 8 = i32(b);\n"
                 "out y(d,id(t)) += g(t,d);\n", []),
    "softmax.dsl": (linked.SOFTMAX, ["-DN=64", "-DM=200"]),
    "norm.dsl": ("param N, M;\ntensor f16 x(N,M), w(M);\n"
                 "s(i) += f32(x(i,j)) * f32(x(i,j));\n"
                 "out y(i,j) = f16(f32(x(i,j)) / sqrt(s(i) + 1.0)) * w(j);\n",
                 ["-DN=32", "-DM=256"]),
    "three.dsl": ("param N;\ntensor i8 x(N,5,N);\n"
                  "out y(i,j,k) = x(k,j,i) + x(i,j,k);\n", []),
    "line.dsl": ("tensor f32 x(64,1024);\nout y(i,j) = x(i,j) * 2.0;\n"
                 "out z(i) = x(i,3);\n", []),
    "stencil.c": ("void stencil(int n, float a[n][n], float b[n][n])\n{\n"
                  "\tfor (int t = 0; t < 3; t++) {\n"
                  "\t\tfor (int i = 1; i < n - 1; i++)\n"
                  "\t\t\tfor (int j = 1; j < n - 1; j++)\n"
                  "\t\t\t\tb[i][j] = 0.25f * (a[i - 1][j] + a[i + 1][j] + "
                  "a[i][j - 1] + a[i][j + 1]);\n"
                  "\t\tfor (int i = 1; i < n - 1; i++)\n"
                  "\t\t\tfor (int j = 1; j < n - 1; j++)\n"
                  "\t\t\t\ta[i][j] = b[i][j];\n\t}\n}\n", []),
}

BATCHES = ("param P, I, K, J;\ntensor f32 x(P,I,K), w(P,K,J);\n"
           "out y(b,i,j) += x(b,i,k) * w(b,k,j);\n")


class Strided(linked.Case):
    def build(self, name, text, *args, **more):
        return super().build(name, text, "--pitched", *args, **more)

    def right(self, sizes, *args):
        self.build("mm.dsl", MM, *args)
        done = self.run_linked("strided.c", "-DSIZES=" + sizes, "mm.o")
        self.assertEqual((done.returncode, done.stdout), (0, "right\n"),
                         done.stderr)

    def test_any_sizes(self):
        self.right("{9,7,11},{1,1,1},{64,32,96},{130,33,67},{0,3,2},{3,0,4}")

    def test_fixed(self):
        self.right("{64,48,80}", "-DM=64", "-DK=48", "-DN=80")

    def test_versions(self):
        self.right("{33,20,28},{128,64,64},{5,3,2}", "--versions=3")

    def test_batches(self):
        """Strides of three dimensions, of batches within rows, too."""
        for sizes, args in (("3, 9, 7, 11", []), ("1, 1, 1, 1", []),
                            ("4, 16, 32, 8", ["--versions=3"]),
                            ("2, 32, 16, 48", ["-DP=2", "-DI=32", "-DK=16",
                                               "-DJ=48"])):
            with self.subTest(sizes, args=args):
                self.build("batches.dsl", BATCHES, *args)
                done = self.run_linked("batches.c", "-DSIZES=" + sizes,
                                       "batches.o")
                self.assertEqual((done.returncode, done.stdout),
                                 (0, "right\n"), done.stderr)

    def test_programs(self):
        for file, (text, args) in PROGRAMS.items():
            with self.subTest(file):
                name = self.build(file, text, "--selftest", *args)
                done = self.run_linked("selftest.c",
                                       f"-DSELFTEST={name}_selftest",
                                       name + ".o")
                self.assertEqual(done.stdout, "0 \n", done.stderr)

    def test_alignment(self):
        """Vectors of arrays with a pitch only where a version asks for it."""
        for args, vectors in ([], False), (["--versions=4"], True):
            self.build("mm.dsl", MM, "-DM=128", "-DK=64", "-DN=128",
                       "--arch=sm_80", *args)
            wide = re.findall(rb"(?:ld|st)\.global\S*\.v[24]|"
                              rb"cp\.async\S* \[[^;]*, (?:8|16)[,;]",
                              self.read("mm.o"))
            self.assertEqual(bool(wide), vectors, wide)

    def test_words(self):
        """Header, manifest and inspect say which arrays may have a pitch."""
        self.build("mm.dsl", MM)
        self.assertIn("const float *in_A,\n\tint64_t pitch_A,",
                      self.read("mm.h").decode())
        self.assertEqual(self.read("mm.json").count(b'"pitched": true'), 4)
        said = self.cetane("inspect", "mm.o")[0].decode()
        self.assertIn("input  A f32[M][K], rows a pitch apart", said)
        self.assertIn("mm(stream, M, K, N, A, B, C, D, workspace)", said)
        self.build("batches.dsl", BATCHES)
        self.assertIn("const float *in_x,\n\tint64_t stride0_x,\n"
                      "\tint64_t pitch_x,", self.read("batches.h").decode())
        self.assertIn("input  x f32[P][I][K], any strides apart",
                      self.cetane("inspect", "batches.o")[0].decode())

    def test_refused(self):
        self.build("look.dsl", "param V, T, D;\ntensor f32 emb(V,D);\n"
                   "tensor i32 id(T);\nout o(t,d) = emb(id(t),d);\n", code=1,
                   says="error[E326]: the rows of 'emb' cannot lie a pitch apart")
        self.write("mm.dsl", MM)
        self.cetane("build", "mm.dsl", "--pitched", code=2,
                    says="--pitched needs")
        self.write("f.c", "void f(int n, float a[n][n])\n{\n\tfor (int i = 0; "
                   "i < n; i++)\n\t\ta[i][i] = 0;\n}\n")
        self.cetane("build", "f.c", "--pitched", "--emit=object", "--drop-in",
                    code=2, says="--pitched needs")

    def test_roundtrip(self):
        """The text of a program has its pitches."""
        self.build("mm.dsl", MM, "--roundtrip", "--dump-after=all")


if __name__ == "__main__":
    unittest.main()
