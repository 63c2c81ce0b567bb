"""NAME_selftest: right objects pass, spoiled ones are caught, with the element."""
import re
import struct
import unittest

import linked

MISMATCH = 22

# Text by the name of its file, and what build is told besides.
PROGRAMS = {
    "chain.dsl": (linked.CHAIN, []),
    "half.dsl": (linked.HALF, ["-DM=96", "-DK=64", "-DN=136"]),
    "brain.dsl": ("param N;\ntensor bf16 x(N,5), w(5);\n"
                  "out y(i) += x(i,j) * w(j);\n", []),
    "eighths.dsl": ("param N;\ntensor f8e4m3 x(N,5);\ntensor f8e5m2 w(5);\n"
                  "out y(i) = f8e4m3(sum(j: f32(x(i,j)) * f32(w(j))));\n", []),
    "gather.dsl": ("param V, T, D;\ntensor f32 emb(V,D);\n"
                   "tensor i32 id(T);\nout o(t,d) = emb(id(t),d);\n",
                   []),
    "kinds.dsl": ("param N;\ntensor i8 a(N);\ntensor u64 b(N);\n"
                  "tensor i16 c(N);\nout y(i) = a(i) - 3;\n"
                  "out z(i) = b(i) - 5;\nout s() += c(i);\n", []),
    "softmax.dsl": (linked.SOFTMAX, ["-DN=64", "-DM=200"]),
    "place.c": ("void place(int n, double a[n][n], const double b[n])\n{\n"
                "\tfor (int i = 0; i < n; i++)\n"
                "\t\tfor (int j = 0; j < n; j++)\n"
                "\t\t\ta[i][j] = a[i][j] * 0.5 + b[j];\n}\n", []),
    "drop.c": ("void drop(int n, double a[n][n], const double b[n])\n{\n"
               "\tfor (int i = 0; i < n; i++)\n"
               "\t\tfor (int j = 0; j < n; j++)\n"
               "\t\t\ta[i][j] = a[i][j] * 0.5 + b[j];\n}\n", ["--drop-in"]),
    "lengths.dag": ("int[] lengths(int[] xs, int k) { return for (int i : "
                    "range(k)) { return xs[2 * i]; }; }\n", []),
    "large.dsl": ("Matrix A(1000,900);\nMatrix B(900,1100);\nC = A * B;\n"
                  "CodeGen(FLOAT, {C});\n", []),
}
THREE = "param N;\nout y(i) for 0 <= i < N = 3 * i;\n"


class SelfTest(linked.Case):
    def build(self, name, text, *args, **more):
        return super().build(name, text, "--selftest", *args, **more)

    def run_test(self, name, obj=None, *flags):
        done = self.run_linked("selftest.c", f"-DSELFTEST={name}_selftest",
                               *flags, obj or name + ".o")
        self.assertEqual(done.returncode, 0, done.stderr)
        status, said = done.stdout.split("\n", 1)[0].split(" ", 1)
        return int(status), said, done.stdout

    def test_right(self):
        for file, (text, args) in PROGRAMS.items():
            with self.subTest(file):
                name = self.build(file, text, *args)
                self.assertIn(f"int {name}_selftest(void);",
                              self.read(name + ".h").decode())
                self.assertEqual(self.run_test(name)[:2], (0, ""))

    def test_spoiled_code(self):
        """One bit of a factor in the code for the host device is another."""
        name = self.build("scale.dsl", "param N;\ntensor f32 x(N,7);\n"
                          "out y(i,j) = x(i,j) * 2.71828175;\n")
        whole = self.read("scale.o")
        factor = struct.pack("<f", 2.71828175)
        self.assertGreater(whole.count(factor), 0)
        bad = struct.pack("<I", struct.unpack("<I", factor)[0] ^ 4)
        self.write("bad.o", whole.replace(factor, bad))
        status, said, _ = self.run_test(name, "bad.o")
        self.assertEqual(status, MISMATCH)
        found = re.fullmatch(r"scale: y\[(\d+)\]\[(\d+)\] is (\S+), not (\S+), "
                             r"of which it may be \S+ off where N = 37", said)
        self.assertTrue(found, said)
        self.assertAlmostEqual(float(found[3]) / float(found[4]), 1, 5)

    def test_own_samples(self):
        name = self.build("three.dsl", THREE)
        _, _, out = self.run_test(name, None, "-DSAMPLES")
        self.assertEqual(out, "0 \nthree: y[4] is 12, not 13 where N = 5\n")

    def test_refused(self):
        self.write("three.dsl", THREE)
        self.cetane("build", "three.dsl", "--selftest", code=2,
                    says="--selftest needs")
        self.build("big.dsl", "param N;\ntensor f32 x(300);\n"
                   "assume N > 300;\nout y(i) for 0 <= i < N = x(i % 300);\n",
                   code=1, says="E732")

    def test_without(self):
        self.write("three.dsl", THREE)
        self.cetane("build", "three.dsl", "--emit=object")
        self.assertNotIn(b"selftest", self.read("three.o"))
        self.assertNotIn(b"selftest", self.read("three.h"))


if __name__ == "__main__":
    unittest.main()
