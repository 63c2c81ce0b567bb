"""inspect: what a source becomes: kernels, their work, threads and loops."""
import json
import math
import unittest

import command
from inspected import CHAIN, NO_ASSEMBLER, Source, TURN

CHAIN_HEAD = """program chain for sm_90a
sizes: M = 100, K = 1024, N = 1024; 1024 where -D gives none
workspace: 409600 bytes: T f32[M][N]

kernel chain_T
  computes     T_init T_mul T_store
"""


def kernel_text(k):
    """What the text says of a kernel, from the JSON of the same."""
    lines = [
        "  grid         {} x {}: {} x {}".format(*k["grid"], *k["blocks"]),
        "  block        {} x {} threads".format(*k["block"]),
        "  tile         {} x {} points, {} deep".format(*k["tile"]),
        f"  shared       {k['shared_bytes']} bytes",
        "  registers    unknown without an assembler",
        "  work         {} operations; reads {}, writes {}".format(
            k["operations"], k["bytes_read"], k["bytes_written"]),
        "               bytes of global memory, each once",
        "  accesses of the first warp: sectors of global, passes over shared "
        "memory"]
    width = max(len(a["array"]) for a in k["accesses"])
    for a in k["accesses"]:
        lines.append("    line %-3d  %-6s  %-*s  %-4s  %-7s %2d, at least %2d"
                     "%s" % (
                         a["line"], "writes" if a["write"] else "reads", width,
                         a["array"], a["type"],
                         "passes" if a["space"] == "shared" else "sectors",
                         a["transactions"], a["least"],
                         f", {a['vector']} elements at once"
                         if a["vector"] > 1 else ""))
    return "\n".join(lines) + "\n"


SCAN = """param N, M;
tensor f32 x(N,M);
out s(i,j) for 0<=i<N, 0<=j<M = case {
	i == 0: x(0,j); else: s(i-1,j) + x(i,j); };
"""


# What stays apart is a remark: R317.
class Kernels(Source):
    def test_text(self):
        self.write("chain.dsl", CHAIN)
        args = "inspect", "chain.dsl", "--parametric", "-DM=100"
        out, err = self.cetane(*args, env=NO_ASSEMBLER)
        text = out.decode()
        facts = json.loads(self.cetane(*args, "--json",
                                       env=NO_ASSEMBLER)[0])
        whole = CHAIN_HEAD + kernel_text(facts["kernels"][0])
        self.assertEqual(text[:len(whole)], whole)
        self.assertIn(kernel_text(facts["kernels"][1]), text)
        self.assertIn("\nnot fused\n  chain_T and chain_Z stay two kernels: "
                      "they have fewer than two outer loops in common", text)
        self.assertEqual(err, "")

    def test_repeats(self):
        self.write("chain.dsl", CHAIN)
        first = self.cetane("inspect", "chain.dsl")
        self.assertEqual(first, self.cetane("inspect", "chain.dsl"))
        self.assertEqual(first, self.cetane(
            "inspect", "chain.dsl", env={"CETANE_DEBUG": "roundtrip"}))

    def test_assumed(self):
        """What looks at an array whose elements are assumed is no kernel of the program."""
        self.write("g.dsl", "param N, V;\nassume 0 <= k < V;\ntensor i32 k(N);\n"
                   "tensor f32 x(V);\nout y(i) = x(k(i));\n")
        args = "inspect", "g.dsl", "-DN=100", "-DV=9"
        out, _ = self.cetane(*args, "--json", env=NO_ASSEMBLER)
        self.assertEqual([k["name"] for k in json.loads(out)["kernels"]], ["g_y"])
        self.assertNotIn("within", self.cetane(*args, env=NO_ASSEMBLER)[0].decode())

    def test_fixed(self):
        facts = self.facts(CHAIN, "-DM=100", "-DN=640", "-DK=64",
                           "--fp=strict")
        self.assertEqual([s["fixed"] for s in facts["sizes"]], [True] * 3)
        kernel = facts["kernels"][0]
        blocks = [-(-640 // kernel["tile"][0]), -(-100 // kernel["tile"][1])]
        self.assertEqual(kernel["grid"], [str(n) for n in blocks])
        self.assertEqual(kernel["blocks"], blocks)
        self.assertEqual(facts["workspace_bytes"], 100 * 640 * 4)

    def test_shared_workspace(self):
        """Of three products in a row the first is dead when the third begins."""
        text = ("Params N; Matrix A(N,N); B = A*A; C = B*A; D = C*A; E = D*A;"
                "CodeGen(FLOAT, {E});")
        facts = self.facts(text, "-DN=4096")
        plane = 4096 * 4096 * 4
        self.assertEqual(facts["temporary_bytes"], 3 * plane)
        self.assertEqual(facts["workspace_bytes"], 2 * plane)
        self.write("row.dsl", text)
        out = self.cetane("inspect", "row.dsl", "-DN=4096")[0].decode()
        self.assertIn(f"\nworkspace: {2 * plane} bytes for temporaries of "
                      f"{3 * plane}: B f32", out)

    @unittest.skipUnless(command.PTXAS, "no ptxas")
    def test_registers(self):
        facts = self.facts(CHAIN, "--arch=a100")
        self.assertEqual(facts["arch"], "sm_80")
        self.assertGreater(facts["kernels"][0]["registers"], 30)
        self.cetane("build", "p.dsl", "--arch=a100", "--emit=object")
        made = json.loads(self.read("p.json"))["images"][0]["kernels"]
        for kernel, other in zip(facts["kernels"], made):
            for key in "name", "registers", "stack_bytes":
                self.assertEqual(kernel[key], other[key])
            self.assertEqual(kernel["shared_bytes"],
                             other["dynamic_shared_bytes"])
            self.assertEqual(kernel["grid"], other["tiles"][::-1])

    def test_work(self):
        """Operations and bytes of a product, and of a triangular nest."""
        m, n, k = 100, 600, 48
        facts = self.facts(CHAIN, f"-DM={m}", f"-DN={n}", f"-DK={k}",
                           env=NO_ASSEMBLER)
        first = facts["kernels"][0]
        self.assertEqual(first["operations"], 2 * m * n * k)
        self.assertEqual(first["bytes_read"], 4 * (m * k + k * n))
        self.assertEqual(first["bytes_written"], 4 * m * n)
        self.assertTrue(first["exact"])
        self.write("t.c", "void t(int n, double a[n][n], double x[n])\n{\n"
                   "for (int i = 0; i < n; i++)\n"
                   "for (int j = 0; j < i; j++)\n"
                   "x[i] -= a[i][j] * a[j][i];\n}\n")
        facts = json.loads(self.cetane("inspect", "t.c", "--json",
                                       "-Dn=50")[0])
        self.assertEqual(sum(k["operations"] for k in facts["kernels"]),
                         2 * 50 * 49 // 2)
        self.assertEqual(facts["kernels"][0]["bytes_written"], 8 * 49)

    def test_width(self):
        """Iterations that may run side by side: points, and terms of sums, whose
        order is not fixed.
        """
        n = 1 << 20
        for text, least, most, args in (
                ("out Y(i) = X(i);", n, n, ()),
                ("out s() += X(i);", n, n, ()),
                ("out s() += X(i);", 1, 1, ("--fp=strict",))):
            facts = self.facts("param N; tensor f32 X(N); " + text, f"-DN={n}",
                               *args)
            width = max(k["parallel_iterations"] for k in facts["kernels"])
            self.assertGreaterEqual(width, least)
            self.assertLessEqual(width, most)

    def test_short_lines(self):
        """Few threads with much to do each are on as many multiprocessors as
        there are warps.
        """
        text = ("void f(int n, int m, double x[m][n])\n{\n"
                "for (int j = 0; j < n; j++)\n"
                "for (int i = 1; i < m; i++)\n"
                "\tx[i][j] = 1 / (x[i - 1][j] + x[i][j]);\n}\n")
        for m, threads in (4000, 32), (40, 64):
            self.write("p.c", text)
            facts = json.loads(self.cetane(
                "inspect", "p.c", "--json", "-Dn=2000", f"-Dm={m}",
                env={"CETANE_DEBUG": "launches"})[0])
            kernel = max(facts["kernels"], key=lambda k: k["operations"])
            self.assertEqual(math.prod(kernel["block"]), threads)
            self.assertEqual(math.prod(kernel["blocks"]),
                             -(-2000 // threads))

    @unittest.skipUnless(command.PTXAS, "no ptxas")
    def test_occupancy(self):
        kernel = self.facts(CHAIN)["kernels"][0]
        o = kernel["occupancy"]
        warps = kernel["block"][0] * kernel["block"][1] // 32
        self.assertEqual(o["warps"], o["blocks"] * warps)
        self.assertEqual(o["most_warps"], 64)
        self.assertGreater(o["blocks"], 0)
        self.assertLessEqual(o["blocks"] * kernel["shared_bytes"], 233472)
        self.assertLessEqual(
            o["warps"] * 32 * kernel["registers"], 65536)
        text = self.cetane("inspect", "p.dsl")[0].decode()
        self.assertIn(f"  occupancy    {o['blocks']} blocks, {o['warps']} of "
                      f"64 warps, limited by {o['limit']}\n", text)

    def test_parts(self):
        """--access and --resources leave out all but their lines."""
        self.write("chain.dsl", CHAIN)
        args = "inspect", "chain.dsl"
        whole = self.cetane(*args)[0].decode().splitlines()
        access = self.cetane(*args, "--access")[0].decode().splitlines()
        taken = self.cetane(*args, "--resources")[0].decode().splitlines()
        both = self.cetane(*args, "--resources", "--access")[0].decode()
        inside = [line for line in whole if line.startswith("    line ")]
        self.assertTrue(inside)
        self.assertEqual(inside, [line for line in access
                                  if line.startswith("    line ")])
        self.assertFalse([line for line in taken
                          if line.startswith("    line ")])
        self.assertFalse([line for line in access if "shared   " in line])
        for part in access, taken, both.splitlines():
            self.assertTrue(set(part) <= set(whole))
        self.assertEqual(set(access) | set(taken), set(both.splitlines()))
        for bad in (("--access", "--json"), ("--resources", "--json"),
                    ("--schedule", "--access"), ("--svg",),
                    ("--layout", "--access"), ("--layout", "--json"),
                    ("--layout", "--schedule")):
            self.cetane(*args, *bad, code=2)

    def test_errors(self):
        self.write("bad.dsl", "Params N;\nMatrix A(N,N);\nB = A * C;\n")
        out, _ = self.cetane("inspect", "bad.dsl", code=1, says="bad.dsl:3:9")
        self.assertEqual(out, b"")
        self.cetane("inspect", "none.dsl", code=1, says="none.dsl")
        self.cetane("inspect", code=2, says="no file")
        self.cetane("inspect", "fig2.dsl", "--arch=blackwell", code=2)

    def test_empty(self):
        facts = self.facts(TURN % "FLOAT", "-D", "N=0")
        self.assertEqual(facts["workspace_bytes"], 0)
        for kernel in facts["kernels"]:
            self.assertIn(0, kernel["blocks"])


class Loops(command.Case):
    def test_loops(self):
        """Each loop is parallel, or names what forbids it."""
        self.write("scan.dsl", SCAN)
        text, _ = self.cetane("inspect", "scan.dsl")
        found = json.loads(self.cetane("inspect", "--json", "scan.dsl")[0])
        loops = [loop for kernel in found["kernels"]
                 for loop in kernel["loops"]]
        self.assertTrue([x for x in loops if x["counts"] == "j" and
                         x["parallel"] and x["statement"] == "s_def_1"])
        serial = [x for x in loops if not x["parallel"] and
                  x["statement"] == "s_def_1"]
        self.assertEqual(len(serial), 1, loops)
        self.assertEqual((serial[0]["dependence"], serial[0]["array"]),
                         ("flow", "s"))
        self.assertIn("i", serial[0]["counts"])
        self.assertRegex(serial[0]["source"], r"s_def(_1)?\[\d, \d\]$")
        self.assertRegex(serial[0]["sink"], r"^s_def_1\[\d, \d\]$")
        line = "    s_def_1, %(counts)s: in turn, %(dependence)s through " \
            "%(array)s: %(source)s before %(sink)s\n" % serial[0]
        self.assertIn(line.encode(), text)


if __name__ == "__main__":
    command.main()
