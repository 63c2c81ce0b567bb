"""inspect: the time that is predicted, and why kernels are fused or stay apart."""
import json
import re

import command
from inspected import NO_ASSEMBLER, STEPS, Source

FIG7 = """Params M, K, N;
Matrix A(M,K);
Matrix B(M,K);
Matrix C(K,N);
Matrix D(K,N);
E = A + B;
F = C + D;
G = E * F;
CodeGen(FLOAT, {G});
"""


class Cost(Source):
    def cycles(self, text, *args, suffix=".dsl", **more):
        """Cycles that are predicted of all kernels together."""
        self.write("p" + suffix, text)
        out, _ = self.cetane("inspect", "p" + suffix, "--json", *args, **more)
        facts = json.loads(out)
        kernels = facts["kernels"]
        self.assertAlmostEqual(sum(k["predicted_us"] for k in kernels),
                               facts["predicted_us"], delta=.01)
        return sum(k["predicted_cycles"]["all"] for k in kernels)

    def test_predicted(self):
        """What is predicted of a kernel: the roofline of an H200 where that is all
        there is to wait for, and more where threads, blocks or launches are.
        """
        memory, clock, cores = 4208e9, 1980e6, 132 * 128
        add = "param N; tensor f32 X(N), Z(N); out Y(i) = X(i) + Z(i);"
        for n in 1 << 26, 1 << 28:
            best = 12 * n / memory * clock
            got = self.cycles(add, f"-DN={n}")
            self.assertGreater(got, .95 * best)
            self.assertLess(got, 1.25 * best)
        product = ("param N; tensor f32 A(N,N), B(N,N);"
                   "out C(i,j) += A(i,k) * B(k,j);")
        for n in 2048, 4096:
            best = n ** 3 / cores
            got = self.cycles(product, f"-DN={n}")
            self.assertGreater(got, best)
            self.assertLess(got, 1.5 * best)
        # A recurrence goes on in one thread, and a launch is a launch.
        serial = ("void f(int n, double x[n])\n{\nfor (int i = 1; i < n; i++)"
                  "\n\tx[i] = 1 / (x[i - 1] + x[i]);\n}\n")
        self.assertGreater(self.cycles(serial, "-Dn=1000000", suffix=".c"),
                           1000000 * 20)
        few, many = (self.cycles(STEPS, f"-Dt={t}", "-Dn=300", suffix=".c",
                                 env={"CETANE_DEBUG": "launches"})
                     for t in (10, 100))
        self.assertGreater(many, 8 * few)
        self.assertLess(many, 12 * few)
        self.assertGreater(many, 200 * 1400)

    def explained(self, text, *args):
        """What --explain says below "roofline"."""
        self.write("p.dsl", text)
        said = self.cetane("inspect", "p.dsl", "--explain", *args)[0].decode()
        return said.split("\nroofline\n")[1].split("\n\n")[0]

    def test_blocks(self):
        """Blocks come one after another, however little they have to do: here
        memory takes a quarter of that.
        """
        self.write("p.dsl", """param A, B, C;
tensor f32 x(A,B,C);
m(i,k) = max(j: x(i,j,k));
out Y(i,j,k) = x(i,j,k) - m(i,k);
""")
        out, _ = self.cetane("inspect", "p.dsl", "--json", "--arch=sm_90a",
                             "-DA=65537", "-DB=2", "-DC=33")
        kernel, = json.loads(out)["kernels"]
        x, y = kernel["blocks"]
        self.assertGreater(kernel["predicted_cycles"]["all"], x * y)

    def test_roofline(self):
        """How much of the roofline is reached, and what is between: a sum of
        everything, or instructions. Products have no such lines.
        """
        head = "param M, N; tensor f32 x(M,N); "
        sizes = "-DM=8192", "-DN=4096"
        said = self.explained(head + "out Y(i,j) = x(i,j) + 1;", *sizes)
        self.assertRegex(said, r"^  inputs and outputs, each once: 268435456 "
                         r"bytes, 65\.2 us; predicted .* us, 0\.9\d of the "
                         r"roofline$")
        said = self.explained(head + "s() += x(i,j); out Y(i,j) = x(i,j) * "
                              "s();", *sizes)
        self.assertRegex(said, r"\n  x is read by 2 kernels, 134217728 bytes "
                         r"more than once, 32\.6 us: p_Y needs s, which is "
                         r"known only when all that it is made of has been "
                         r"read")
        said = self.explained(head + "out Y(i,j) = " + "tanh(" * 8 + "x(i,j)" +
                              ")" * 8 + ";", *sizes)
        self.assertRegex(said, r"\n  p_Y: instructions take [\d.]+ us, its "
                         r"bytes 65\.2: fewer or cheaper functions help")
        self.write("p.dsl", "param M; tensor f32 x(M,M); "
                   "out Y(i,j) += x(i,k) * x(k,j);")
        said = self.cetane("inspect", "p.dsl", "--explain", "-DM=1024")[0]
        self.assertNotIn(b"roofline", said)

    def test_roofline_of_windows(self):
        """Elements that many threads read pass the cache many times."""
        said = self.explained(
            "param M, N; tensor f32 x(M,N); out Y(i,j) for 0 <= i < M-8, "
            "0 <= j < N-8 = sum(k, l for 0 <= k < 9, 0 <= l < 9: x(i+k,j+l));",
            "-DM=4096", "-DN=4096")
        self.assertRegex(said, r"\n  p_Y: what threads read takes [\d.]+ us of "
                         r"the cache, of memory [\d.]+: they read elements "
                         r"again and again")

    def test_apart(self):
        """What two kernels take, and one of both at least: a launch and the bytes
        that are passed on less; those of an output stay.
        """
        n, rate = 2048, 2080
        text = ("param N; tensor f32 A(N,N), B(N,N);%s"
                "E(i,j) += A(i,k) * B(k,j); out F(i,j) += E(i,k) * A(k,j);")
        for out, times in ("", 2), ("out ", 1):
            self.write("p.dsl", text % out)
            facts = json.loads(self.cetane("inspect", "p.dsl", "--json",
                                           "--explain", f"-DN={n}")[0])
            pair, = [p for p in facts["pairs"] if p["array"] == "E"]
            less = sum(pair["apart_cycles"]) - pair["as_one_cycles"]
            bytes_less = times * 4 * n * n / rate
            self.assertGreater(less, bytes_less)
            self.assertLess(less, bytes_less + 5000)
            said = self.cetane("inspect", "p.dsl", "--explain",
                               f"-DN={n}")[0].decode()
            self.assertIn("  %s and %s, through E: apart %d + %d cycles, as "
                          "one %d at least\n" % (
                              pair["from"], pair["to"],
                              *pair["apart_cycles"], pair["as_one_cycles"]),
                          said)
            self.assertRegex(said, r"\n  predicted    \d+ cycles, [\d.]+ us: "
                             r"launches and barriers \d+;\n +products \d+, "
                             r"memory \d+\n")


class Fusion(Source):
    def test_fusion(self):
        facts = self.facts(FIG7, env=NO_ASSEMBLER)
        names = [k["name"] for k in facts["kernels"]]
        self.assertEqual(sorted(names), ["p_E", "p_F", "p_G"])
        pairs = [t.split(" stay")[0] for t in facts["not_fused"]]
        self.assertEqual(sorted(pairs), ["p_E and p_G", "p_F and p_G"])
        fused = self.facts(command.FIG2, env=NO_ASSEMBLER)
        self.assertEqual(fused["not_fused"], [])
        self.assertEqual(fused["kernels"][0]["statements"],
                         ["D_init", "D_mul", "E_add"])

    # Why a product has its blocks are remarks: R321.
    def test_explain(self):
        sizes = "-DM=96", "-DN=64", "-DK=4000"
        facts = self.facts(command.FIG2, *sizes, "--explain",
                           env=NO_ASSEMBLER)
        source, parts, unit, chosen, usual, *ranked = facts["blocks"]
        self.assertEqual(source, "p: blocks and parts of the model")
        count = re.match(r"D_mul: whole: \d+ cycles; in (\d+) parts of \d+ "
                         r"steps: \d+$", parts)
        self.assertEqual(facts["kernels"][0]["name"], "p_D_part")
        tile = facts["kernels"][0]["tile"]
        self.assertEqual(facts["kernels"][0]["blocks"][1],
                         -(-96 // tile[1]) * int(count[1]))
        self.assertEqual(unit, "p_D_part: no matrix unit: none of the target "
                         "multiplies these types")
        self.assertRegex(chosen, rf"^p_D_part: chosen: tile {tile[0]} x "
                         rf"{tile[1]}, {tile[2]} deep, ")
        self.assertRegex(usual, "^p_D_part: for large sizes: tile ")
        self.assertEqual(len(ranked), 3)
        cycles = [int(re.search(r"(\d+) cycles$", r)[1]) for r in ranked]
        self.assertEqual(cycles, sorted(cycles))
        self.assertNotIn("blocks", self.facts(command.FIG2, *sizes,
                                              env=NO_ASSEMBLER))
        text, _ = self.cetane("inspect", "p.dsl", "--explain", *sizes,
                              env=NO_ASSEMBLER)
        self.assertIn(f"\nblocks\n  {source}\n  {parts}", text.decode())
        any_size = self.facts(command.FIG2, "--explain", env=NO_ASSEMBLER)
        self.assertEqual(any_size["blocks"], [source, unit.replace(
            "p_D_part", "p_E")])

    def test_fusion_reasons(self):
        text = ("Params N;\nMatrix A(N,N);\nMatrix B(N,N);\nP = A * B;\n"
                "Q = B * A;\nR = A * A;\nS = P + Q;\nU = S + R;\n"
                "CodeGen(DOUBLE, {U});\n")
        facts = self.facts(text, env=NO_ASSEMBLER)
        for line, pair, first in zip(facts["not_fused"], (
                "p_P and p_S", "p_S and p_U"), ("Q_init", "R_init")):
            self.assertIn(
                f"{pair} stay two kernels: statements are placed one after "
                f"the other, and {first} would not go with the first", line)
        middle = self.facts(
            "Params N;\nMatrix A(N,N);\nB = A * A;\nC = B * A;\n"
            "D = C * A + B;\nCodeGen(FLOAT, {D});\n", env=NO_ASSEMBLER)
        self.assertIn("p_B and p_D stay two kernels: p_C runs between them, "
                      "needs the first and is needed by the second",
                      middle["not_fused"])

    # Program, two kernels, sizes: for instances of two statements, whether the
    # second reads what the first writes.
    INSTANCES = [
        ("param N; tensor f32 x(N); a(i) = x(i) * 2.0;\n"
         "out b(i) = case { i == 0: a(0); else: a(N - 1 - i) + a(i - 1); };",
         "p_a and p_b", "a_def", "b_def",
         lambda n, a, b: a[0] in ((0,) if b[0] == 0 else (n - 1 - b[0],
                                                          b[0] - 1))),
        ("Params N; Matrix A(N,N); T = A * A; Z = T * A;\n"
         "CodeGen(FLOAT, {Z});", "p_T and p_Z", "T_(?:init|mul)", "Z_mul",
         lambda n, t, z: t[:2] == (z[0], z[2])),
        ("param N; tensor f32 x(N,N); s(i) += x(i,j);\n"
         "out y(i,j) = x(i,j) / s(i);", "p_s and p_y", "s_(?:init|add)",
         "y_def", lambda n, s, y: s[0] == y[0]),
    ]

    def test_fusion_instances(self):
        """Two instances stand against a fusion: the second needs the first, and
        both are inside of the program and at different points.
        """
        for text, pair, first, second, needs in self.INSTANCES:
            with self.subTest(pair):
                line, = [x for x in self.facts(text, env=NO_ASSEMBLER)
                         ["not_fused"] if x.startswith(pair)]
                m = re.search(rf"; \[N = (\d+)\] {first}\[([\d, ]*)\] must come "
                              rf"before {second}\[([\d, ]*)\], which is at "
                              "another point of their loops$", line)
                self.assertTrue(m, line)
                n = int(m[1])
                one, two = (tuple(map(int, x.split(", "))) for x in m.groups()[1:])
                self.assertTrue(needs(n, one, two), line)
                self.assertTrue(all(0 <= k < n for k in one + two), line)
                points = [(x + (0,))[:2] for x in (one, two)]
                self.assertNotEqual(*points)


if __name__ == "__main__":
    command.main()
