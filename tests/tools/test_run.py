"""The verb run on the host device: results, references, refusals."""
import math
import os
import re
import struct
import unittest

import command
from test_npy import load, save

LINE = re.compile(rb"^(\w+) (\w+)\[(\d+),(\d+)\]: (.*)$", re.M)


class Run(command.Case):
    def lines(self, *args, code=0):
        out, _ = self.cetane("run", *args, code=code)
        return LINE.findall(out)

    def sizes(self, m, k, n):
        return [f"-DM={m}", f"-DK={k}", f"-DN={n}"]

    def test_findings_name_the_instance(self):
        self.write("f.c", "void f(int n, int m, int x[n][m], int y[n][m]) {\n"
                   "int t[4];\nfor (int k = 0; k < 3; k++) t[k] = k;\n"
                   "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)\n"
                   "y[i][j] = x[i][j] + t[i % 4];\n}\n")
        _, err = self.cetane("run", "f.c", "-Dn=5", "-Dm=9",
                             "--sanitize=uninit", code=5)
        self.assertRegex(err, r"uninitialised read in kernel f_y, block "
                         r"\(\d+,\d+,0\): thread \d+ reads \w+ byte 12 of "
                         r"\d+ at f.c:5: t in S2\[3,\d\], which nothing wrote")
        self.write("g.c", "void g(int n, int x[9], int k[n], int y[n]) {\n"
                   "for (int i = 0; i < n; i++) y[i] = x[k[i]];\n}\n")
        _, err = self.cetane("run", "g.c", "-Dn=5", "--sanitize=bounds",
                             code=5)
        self.assertRegex(err, r"out of bounds in kernel g_y, block "
                         r"\(0,0,0\): thread \d reads 4 bytes at byte -?\d+ "
                         r"of a global array of 36 bytes at g.c:2: x in "
                         r"S1\[\d\]\n")

    def test_references_agree(self):
        for m, k, n in [(1, 1, 1), (17, 23, 19), (64, 64, 64), (65, 3, 33)]:
            said = [line for how in ["naive", "full", "both", "auto"]
                    for line in self.lines("fig2.dsl", *self.sizes(m, k, n),
                                           f"--verify={how}")]
            naive, interp = [b"agrees with the naive kernel, which shares "
                             b"the lowering", b"verified against the "
                             b"interpreter"]
            self.assertEqual([line[4].split(b":")[0] for line in said],
                             [naive, interp, naive, interp, interp])
            for name, kind, rows, cols, text in said:
                self.assertEqual((name, kind), (b"E", b"f32"))
                self.assertEqual((int(rows), int(cols)), (m, n))
                self.assertIn(b": %d of %d elements" % (m * n, m * n), text)
                ratio = float(re.search(rb"error ([0-9.e+-]+) of", text)[1])
                self.assertLess(ratio, 1)

    def test_empty(self):
        for m, k, n in [(0, 3, 3), (3, 3, 0), (3, 0, 3), (0, 0, 0)]:
            (_, _, rows, cols, text), = self.lines(
                "fig2.dsl", *self.sizes(m, k, n))
            self.assertIn(b"verified", text)
            self.assertEqual((int(rows), int(cols)), (m, n))

    def test_literal_zero_sizes(self):
        for text, shapes in [
                ("Matrix X(0,0); Y = X*X; CodeGen(HALF, {Y});", [(0, 0)]),
                ("Matrix X(0,3); Matrix Z(3,2); Y = X*Z; W = ReLU(Z);"
                 "CodeGen(FLOAT, {Y, W});", [(0, 2), (3, 2)]),
                ("Matrix X(0,4); Z = (X+X)*X^T; W = X^T*X;"
                 "CodeGen(DOUBLE, {Z, W});", [(0, 0), (4, 4)])]:
            self.write("p.dsl", text)
            for more in [[], ["--map=naive"],
                         ["--roundtrip", "--sanitize=all"],
                         ["--verify=full"]]:
                got = [(int(r), int(c)) for _, _, r, c, how in
                       self.lines("p.dsl", *more) if b"verified" in how]
                self.assertEqual(got, shapes, text)

    def test_function_of_what_may_be_no_number(self):
        """Products overflow, their sums are no numbers: tanh has no bound."""
        self.write("p.dsl", "Matrix A(8,8); Matrix B(8,8); Matrix V(8,8);"
                   "C = Tanh((30000*A) * (30000*B) * V); CodeGen(HALF, {C});")
        self.write("q.dsl", "param N; tensor f32 A(N,N), B(N,N), V(N,N);"
                   "out C(i,j) = tanh(sum(k: sum(l: 1e30*A(i,l) * 1e30*B(l,k))"
                   " * V(k,j)));")
        for name, more in [("p.dsl", []), ("q.dsl", ["-DN=8"])]:
            for how in ["--verify=naive", "--verify=full"]:
                for mapping in ["naive", "tiled"]:
                    (_, _, _, _, text), = self.lines(
                        name, how, f"--map={mapping}", *more)
                    self.assertRegex(text, b"^not verified: no element "
                                     b"has a bound: .*C\\[0,0\\] ")

    def test_why_there_is_no_bound(self):
        """The first element, and what it should be."""
        self.write("p.dsl", "tensor f32 x(3);\nout r(i) = sqrt(-1.0 - x(i)*x(i));\n"
                   "out q(i) = x(i) / f32(0);\n"
                   "out s(i) = x(i) * f32(0) + f32(3.4028e38) - x(i);\n"
                   "out t(i) for 0 <= i < 4 = 1.0 / f32(3 - i);\n")
        said, _ = self.cetane("run", "p.dsl", "-ix=[2, -3, 1]")
        said = [line.split(b"]: ")[1] for line in said.splitlines()]
        first = b"not verified: no element has a bound: "
        self.assertEqual(said[:2], [
            first + b"r[0] should be nan; other inputs may have numbers",
            first + b"q[0] should be infinite; other inputs may have numbers"])
        self.assertIn(b"3 of 3 elements", said[2])
        self.assertIn(b"3 of 4 elements", said[3])
        self.write("q.dsl", "tensor f32 x(3);\nout y(i) = 3.4028234e38 * x(i);\n")
        said, _ = self.cetane("run", "q.dsl", "-ix=[0.99999994, 1, -1]")
        self.assertEqual(said, b"y f32[3]: " + first + b"for y[0] rounding may "
                         b"overflow, or decide a condition or a position\n")

    def test_results_below_the_smallest_normal_number(self):
        """1 + exp(730) is infinite, sigmoid(-730) is not 0."""
        self.write("p.dsl", "tensor f64 x(5);\nout s(i) = sigmoid(x(i));\n"
                   "out e(i) = exp(x(i));\n")
        values = [-746.0, -745.0, -730.0, -709.9, 730.0]
        save(self.path("x.npy"), "<f8", (5,), "d", values)
        for more in [[], ["--verify=naive"]]:
            self.cetane("run", "p.dsl", "-ix=x.npy", "-os=s.npy", *more)
            _, _, got = load(self.path("s.npy"))
            for x, y in zip(values, got):
                self.assertAlmostEqual(y, min(1, math.exp(min(x, 0))),
                                       delta=1e-323)

    def test_sums_that_scatter(self):
        """As many terms of each sum as one of the two loops has steps."""
        self.write("f.c", "void f(int n, int m, float a[n], float b[m], "
                   "float c[n + m], float d[n]) {\n"
                   "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)\n"
                   "c[i + j] += a[i] * b[j];\n"
                   "for (int i = 0; i < n; i++) d[i / 4] += a[i];\n}\n")
        for name, n in [("a", 700), ("b", 500), ("c", 1200), ("d", 700)]:
            save(self.path(name + ".npy"), "<f4", (n,), "f", [0.1] * n)
        for seed in range(3):
            out, _ = self.cetane("run", "f.c", "-Dn=700", "-Dm=500",
                                 "--fp=reassoc", f"--host-seed={seed}",
                                 "-ia=a.npy", "-ib=b.npy", "-ic=c.npy",
                                 "-id=d.npy")
            for line in [b"c f32[1200]: ", b"d f32[700]: "]:
                self.assertIn(line + b"verified against the interpreter",
                              out)

    def test_degenerate_programs(self):
        for text, names in [
                ("Y = 2;", "Y"),
                ("Matrix X(2,3); Y = X; Z = Y; CodeGen(INT, {Y, Z});", "YZ"),
                ("Matrix X(2,2); X = X; CodeGen(FLOAT, {X});", "X"),
                ("Matrix X(2,2); X = X + X; X = X * X; CodeGen(HALF, {X});",
                 "X"),
                ("Matrix X(2,3); Y = X + 1; Z = Y + 1; Y = Z;"
                 "CodeGen(FLOAT, {Z, Y});", "ZY")]:
            self.write("p.dsl", text)
            for more in [["--sanitize=all"],
                         ["--verify=full", "--map=naive"]]:
                got = [name.decode() for name, _, _, _, how in
                       self.lines("p.dsl", *more) if b"verified" in how]
                self.assertEqual("".join(got), names, text)

    def test_brackets_are_definitions(self):
        head = ("Params M, K, N; Matrix A(M,K); Matrix B(M,K);"
                "Matrix C(K,N); Matrix D(K,N);")
        self.write("fig7.dsl", head + "E = A + B; F = C + D; G = E * F;"
                   "CodeGen(FLOAT, {G});")
        self.write("one.dsl", head + "G = (A + B) * (C + D);"
                   "CodeGen(FLOAT, {G});")
        for file in ["fig7", "one"]:
            self.lines(f"{file}.dsl", *self.sizes(17, 9, 33),
                       f"-oG={file}.npy")
        self.assertEqual(self.read("fig7.npy"), self.read("one.npy"))

    def test_naive_and_checked(self):
        for more in [["--map=naive"], ["--sanitize=all"], ["--roundtrip"],
                     ["--sanitize=all", "--host-seed=7", "--map=naive"]]:
            (_, _, _, _, text), = self.lines(
                "fig2.dsl", *self.sizes(19, 5, 33), *more)
            self.assertIn(b"verified against the interpreter", text)

    def test_sample(self):
        (_, _, _, _, text), = self.lines(
            "fig2.dsl", *self.sizes(100, 7, 90), "--verify=sample")
        n = int(re.search(rb"verified against the interpreter: "
                          rb"(\d+) of 9000 elements", text)[1])
        self.assertGreaterEqual(n, 1600 + 2 * 98 + 2 * 90)
        self.assertLess(n, 2000 + 2 * 98 + 2 * 90)

    def test_what_is_too_much_is_not_said_to_be_verified(self):
        less = (b"not verified, which takes too many operations "
                b"(--verify=full); agrees with the naive kernel, which shares "
                b"the lowering: ")
        self.write("g.c", "void g(int n, float c[2][3]) {\n"
                   "for (int k = 0; k < n; k++)\n"
                   "for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++)\n"
                   "c[i][j] = c[i][j] * 0.5f + k;\n}\n")
        (_, _, _, _, text), = self.lines("g.c", "-Dn=20000")
        self.assertIn(b"verified against the interpreter: 6 of 6", text)
        (_, _, _, _, text), = self.lines("g.c", "-Dn=2100000")
        self.assertIn(less + b"6 of 6 elements", text)

    def test_unverified(self):
        for more in ["--no-verify", "--verify=none"]:
            (_, _, _, _, text), = self.lines(
                "fig2.dsl", *self.sizes(4, 4, 4), more)
            self.assertEqual(text, b"not verified")

    def test_all_types(self):
        for word, kind in [("INT", b"i32"), ("HALF", b"f16"),
                           ("FLOAT", b"f32"), ("DOUBLE", b"f64"),
                           ("BFLOAT16", b"bf16"), ("INT8", b"i8")]:
            self.write("t.dsl", command.FIG2.replace("FLOAT", word))
            for how in ["full", "naive"]:
                (_, got, _, _, text), = self.lines(
                    "t.dsl", *self.sizes(33, 17, 20), f"--verify={how}")
                self.assertEqual(got, kind)
                self.assertIn(b"660 of 660 elements", text)

    def test_missing_sizes(self):
        _, err = self.cetane("run", "fig2.dsl", "-DK=1", code=2)
        self.assertIn("error[E701]: the size M has no value: give -D "
                      "M=NUMBER", err)
        self.assertIn("size N has no value", err)
        self.assertNotIn("size K", err)

    def test_sizes_by_the_names_of_the_text(self):
        self.write("i.dsl", "Params i, mod;\nMatrix X(i,mod);\nY = X + X;\n"
                            "CodeGen(FLOAT, {Y});\n")
        for more in [["--parametric"], []]:
            (_, _, rows, cols, text), = self.lines("i.dsl", "-Di=3",
                                                   "-Dmod=5", *more)
            self.assertEqual((int(rows), int(cols)), (3, 5))
            self.assertIn(b"verified", text)
        _, err = self.cetane("run", "i.dsl", "-Di=3", code=2)
        self.assertIn("size mod has no value: give -D mod=NUMBER", err)

    def test_too_big(self):
        self.cetane("run", "fig2.dsl", "-DM=2147483647", "-DK=1",
                    "-DN=2147483647", code=1, says="error[E705]")
        # More than a machine has, which another one may have.
        self.cetane("run", "fig2.dsl", "-DM=4000000", "-DK=1",
                    "-DN=4000000", code=3, says="error[E705]",
                    env={"ASAN_OPTIONS": "allocator_may_return_null=1"})

    def test_no_cuda(self):
        p = self.run_raw("run", "fig2.dsl", *self.sizes(3, 3, 3),
                         "--device=cuda",
                         env={"CETANE_DRIVER": "/nonexistent/libcuda.so"})
        self.assertEqual(p.returncode, 3)
        self.assertIn(b"error[E553]: cuda: ", p.stderr)
        self.assertIn(b"; --device=host runs the same kernels", p.stderr)

    def test_values(self):
        save(self.path("a.npy"), "<f4", (2, 3), "f", [1, 2, 3, 4, 5, 6])
        save(self.path("b.npy"), "<f4", (3, 2), "f", [1, 0, 0, 1, 2, -1])
        save(self.path("c.npy"), "<f4", (2, 2), "f", [10, 20, 30, 40])
        self.cetane("run", "fig2.dsl", *self.sizes(2, 3, 2), "-iA=a.npy",
                    "--input", "B=b.npy", "--input=C=c.npy",
                    "--output", "E=e.npy")
        self.assertEqual(load(self.path("e.npy")),
                         ("<f4", (2, 2), [17, 19, 46, 39]))

    def test_assumed_positions(self):
        """The device looks at all elements of inputs of which something is assumed."""
        for kind, dtype, values, wild in (
                ("i32", "<i4", "iiii", -1), ("i8", "|i1", "bbbb", -1),
                ("u8", "|u1", "BBBB", 200), ("i64", "<i8", "qqqq", 1 << 40),
                ("u64", "<u8", "QQQQ", (1 << 63) + 5)):
            self.write("g.dsl", "param V;\nassume 2 <= k <= 3 * V;\n"
                       "tensor %s k(2,2);\ntensor f32 x(3*V+1);\n"
                       "out y(i) = x(k(0,i));\n" % kind)
            for value, code in ((6, 0), (2, 0), (1, 1), (7, 1), (wild, 1)):
                save(self.path("k.npy"), dtype, (2, 2), values[0], [2, 3, 4, value])
                _, err = self.cetane("run", "g.dsl", "-DV=2", "-ik=k.npy",
                                     code=code)
                if code and value < 1 << 63:
                    self.assertIn("error[E737]: g: k[1,1] is %d, but the program "
                                  "assumes that it is from 2 to 6" % value, err)
                elif code:
                    self.assertIn("error[E737]", err)
        self.cetane("run", "g.dsl", "-DV=2", "--seed=5")
        _, err = self.cetane("build", "g.dsl", "--emit=poly", "-o", "g.poly")
        _, err = self.cetane("run", "g.poly", "--from=poly", "-DV=2",
                             "-ik=k.npy", code=1)
        self.assertIn("error[E737]", err)

    def test_positions(self):
        self.write("g.dsl", "param T, V;\ntensor i32 id(T);\n"
                   "tensor f32 x(V,3);\nout y(t,d) = x(2*id(t),d);\n"
                   "out z(t) = case { id(t) < 2: x(id(t),0); else: 0; };\n"
                   "out w(t) = 0 <= id(t) and id(t) < V ? x(id(t),0) : 0.;\n")
        sizes = ["-DT=4", "-DV=7", "--sanitize=all"]

        def run(*values, code=0):
            save(self.path("id.npy"), "<i4", (4,), "i", values)
            return self.cetane("run", "g.dsl", *sizes, "-iid=id.npy",
                               code=code)[1]
        run(0, 3, 2, 1)
        self.assertIn("error[E727]: g.dsl:4:14: 'x' is read at position 8 of "
                      "dimension 1, which goes from 0 to 6, for t=1",
                      run(0, 4, 9, 1, code=1))
        self.assertIn("is read at position -2 of", run(0, 0, 0, -1, code=1))
        self.write("h.dsl", "param T;\ntensor i32 id(T);\n"
                   "h(b,c) for 3 <= b < 8, 0 <= c < 2 = i32(0);\n"
                   "out h(id(t) + 3, c) += 1;\n")
        save(self.path("id.npy"), "<i4", (4,), "i", [0, 4, 5, 1])
        _, err = self.cetane("run", "h.dsl", "-DT=4", "-iid=id.npy", code=1)
        self.assertIn("error[E727]: h.dsl:4:13: 'h' is updated at position 8 "
                      "of dimension 1, which goes from 3 to 7, for t=2", err)
        _, err = self.cetane("build", "h.dsl", "--emit=poly", "-o", "h.poly")
        self.cetane("run", "h.poly", "--from=poly", "-DT=4", "-iid=id.npy",
                    "-oh=h.npy")
        self.assertEqual(load(self.path("h.npy"))[2],
                         [1, 1, 1, 1, 0, 0, 0, 0, 1, 1])
        self.write("h.dsl", "param T;\ntensor i32 id(T);\n"
                   "h(b) for 0 <= b < 9 = i32(0);\nout h(id(t)) += 1;\n")
        save(self.path("id.npy"), "<i4", (6000,), "i",
             [t % 12 - 1 for t in range(6000)])
        self.cetane("build", "h.dsl", "-DT=6000", "--emit=poly", "-o",
                    "h.poly")
        self.assertIn(b" near ", self.read("h.poly"))
        self.cetane("run", "h.poly", "--from=poly", "-DT=6000", "-iid=id.npy",
                    "-oh=h.npy")
        self.assertEqual(load(self.path("h.npy"))[2], [500] * 9)
        self.write("g.dsl", self.read("g.dsl").replace(b"2*id", b"0*id"))
        self.assertIn("E727", run(0, 1, -1, 0, code=1))
        run(0, 1, 7, 0)
        _, err = self.cetane("run", "g.dsl", "-DT=4", "-DV=0", code=1)
        self.assertIn("error[E727]", err)
        _, err = self.cetane("build", "g.dsl", "--emit=poly", "-o", "g.poly")
        self.cetane("run", "g.poly", "--from=poly", "-DT=4", "-DV=7",
                    "-iid=id.npy", "-oy=y.npy")

    def test_seed(self):
        outs = []
        for seed in ["1", "1", "2"]:
            self.cetane("run", "fig2.dsl", *self.sizes(5, 5, 5), "--seed",
                        seed, "-o", "E=e.npy")
            outs.append(self.read("e.npy"))
        self.assertEqual(outs[0], outs[1])
        self.assertNotEqual(outs[0], outs[2])

    def test_output_on_standard_output(self):
        for more in [[], ["--no-verify"], ["--verify=naive"]]:
            p = self.run_raw("run", "fig2.dsl", *self.sizes(2, 2, 2),
                             "-oE=-", *more)
            self.assertEqual(p.returncode, 0)
            self.write("e.npy", p.stdout)
            self.assertEqual(load(self.path("e.npy"))[1], (2, 2))
            self.assertIn(b"E f32[2,2]: ", p.stderr)

    def test_outputs_are_distinct(self):
        self.write("two.dsl", "Matrix X(2,2); Y = X; Z = X + X;"
                   "CodeGen(FLOAT, {Y, Z});")
        for args in [["-oY=a.npy", "-oY=b.npy"], ["-oY=a.npy", "-oZ=a.npy"],
                     ["-oY=-", "-oZ=-"], ["-iX=a.npy", "-iX=b.npy"]]:
            self.cetane("run", "two.dsl", *args, code=2,
                        says="error[E607]: ")
        self.assertEqual(self.files(), ["fig2.dsl", "scale.dsl", "two.dsl"])
        self.cetane("run", "two.dsl", "-oY=y.npy", "-oZ=z.npy")
        y, z = (load(self.path(f))[2] for f in ["y.npy", "z.npy"])
        self.assertEqual([2 * v for v in y], z)

    def test_outputs_all_or_none(self):
        self.write("two.dsl", "Matrix X(2,2); Y = X; Z = X + X;"
                   "CodeGen(FLOAT, {Y, Z});")
        for bad in ["no/z.npy", "/dev/full", ".", ""]:
            p = self.run_raw("run", "two.dsl", "-oY=y.npy", f"-oZ={bad}")
            self.assertIn(p.returncode, [2, 3], bad)
            self.assertNotIn("y.npy", self.files(), bad)

    def test_names(self):
        for arg in ["-iQ=a.npy", "-iE=a.npy", "-oA=a.npy", "-oD=a.npy",
                    "-iA"]:
            self.cetane("run", "fig2.dsl", *self.sizes(2, 2, 2), arg, code=2,
                        says="error[E702]: option --")
        self.assertEqual(self.files(), ["fig2.dsl", "scale.dsl"])

    def test_nan_agrees(self):
        self.write("log.dsl", "Params N;\nMatrix X(1,N);\nY = log(X);\n"
                   "CodeGen(FLOAT, {Y});\n")
        save(self.path("x.npy"), "<f4", (1, 5), "f",
             [-1, 0, 1, math.inf, math.nan])
        for how in ["full", "naive"]:
            self.cetane("run", "log.dsl", "-DN=5", "-iX=x.npy", "-oY=y.npy",
                        f"--verify={how}")
        _, _, y = load(self.path("y.npy"))
        self.assertTrue(math.isnan(y[0]) and math.isnan(y[4]))
        self.assertEqual(y[1:4], [-math.inf, 0, math.inf])

    def test_ring(self):
        """Sums of products in any order have the same bits."""
        self.write("r.dsl", "Params N; Matrix A(N,N); Matrix B(N,N);\n"
                   "C = exp(A * B) + sqrt(A) * B;\n"
                   "CodeGen(FLOAT, {C});\n")
        for more in [[], ["--map=naive"], ["--sanitize=all"]]:
            out, _ = self.cetane("run", "r.dsl", "-DN=37",
                                 "--semantics=ring", *more)
            self.assertIn(b"C f32[37,37]: verified against the interpreter: "
                          b"1369 of 1369 elements, bit for bit in the ring\n",
                          out)
        self.cetane("run", "r.dsl", "-DN=3", "--semantics=rong", code=2,
                    says="did you mean ring")

    def test_no_contract(self):
        """(1 + 2^-12)^2 - (1 + 2^-11) is 0 where the product is rounded."""
        self.write("c.dsl", "Matrix A(1,2); Matrix B(2,1); C = A * B;\n"
                   "CodeGen(FLOAT, {C});\n")
        x = 1 + 2**-12
        save(self.path("a.npy"), "<f4", (1, 2), "f", [1 + 2**-11, x])
        save(self.path("b.npy"), "<f4", (2, 1), "f", [-1, x])
        for more, want in [([], 2**-24), (["--no-contract"], 0)]:
            for how in ["tiled", "naive"]:
                self.cetane("run", "c.dsl", "-iA=a.npy", "-iB=b.npy",
                            "-oC=c.npy", f"--map={how}", *more)
                self.assertEqual(load(self.path("c.npy"))[2], [want])

    def test_bits_are_those_of_the_type(self):
        self.write("c.dsl", "Matrix X(1,2);\nY = X + 0.1;\n"
                   "CodeGen(BFLOAT16, {Y});\n")
        one, half = 0x3f80, 0x3f00
        save(self.path("x.npy"), "<u2", (1, 2), "H", [one, half])
        self.cetane("run", "c.dsl", "-iX=x.npy", "-oY=y.npy")
        descr, _, y = load(self.path("y.npy"))
        value = [struct.unpack("<f", struct.pack("<I", v << 16))[0]
                 for v in y]
        self.assertEqual(descr, "<u2")
        self.assertEqual(value, [1.1015625, 0.6015625])


@unittest.skipUnless(os.environ.get("CETANE_FAKE_CUDA"), "no fake driver")
class Cuda(command.Case):
    """A driver that accepts everything and runs nothing."""
    ARGS = ["run", "fig2.dsl", "-DM=5", "-DK=4", "-DN=3", "--device=cuda:0"]

    def fake(self, *args, capability=121, **more):
        env = {"CETANE_DRIVER": os.environ["CETANE_FAKE_CUDA"],
               "FAKE_CUDA_CAPABILITY": str(capability),
               "CETANE_PTXAS": "none", "CETANE_NVJITLINK": "none"}
        return self.cetane(*self.ARGS, *args, env=env, **more)

    def test_unwritten_elements(self):
        out, err = self.fake(code=5)
        self.assertIn("error[E708]: E[0,0] was never written; 15 elements",
                      err)
        self.assertEqual(out, b"")

    def test_outputs_of_a_wrong_run_do_not_appear(self):
        self.fake("-oE=e.npy", code=5)
        self.assertNotIn("e.npy", self.files())

    def test_unverified(self):
        out, _ = self.fake("--no-verify", "-oE=e.npy")
        self.assertEqual(out, b"E f32[5,3]: not verified\n")
        _, shape, values = load(self.path("e.npy"))
        self.assertEqual(shape, (5, 3))
        self.assertTrue(all(math.isnan(v) for v in values))

    def test_architecture_of_the_device(self):
        _, err = self.fake("--no-verify", "--time-passes")
        self.assertIn("nvptx_assemble", err)
        self.assertNotIn("nvptx_jit", err)

    def test_device_that_is_too_old(self):
        self.fake("--no-verify", capability=75)
        self.fake("--no-verify", capability=70, code=3, says="error[E556]: "
                  "no known target fits a device of capability 7.0")

    def test_no_such_device(self):
        env = {"CETANE_DRIVER": os.environ["CETANE_FAKE_CUDA"]}
        self.cetane("run", "fig2.dsl", "-DM=5", "-DK=4", "-DN=3",
                    "--device=cuda:7", code=3, env=env,
                    says="error[E553]: cuda:7: ")


if __name__ == "__main__":
    command.main()
