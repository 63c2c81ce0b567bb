"""inspect: what a source becomes, and what an artifact holds."""
import hashlib
import json
import math
import os
import random
import re
import shutil
import subprocess
import unittest
from xml.etree import ElementTree

import command

CHAIN = """Params M, K, N;
Matrix W(N,K);
Matrix X(M,K);
Matrix Y(K,N);
T = X * Y;
Z = T * W;
CodeGen(FLOAT, {Z});
"""

# Read down the columns: each lane of a warp reads another row.
TURN = """Params M, N;
Matrix X(N,M);
Y = X' + 1;
CodeGen(%s, {Y});
"""

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

# A step a launch, of which each does other points than the last.
STEPS = """void steps(int n, int t, double a[n][n], double b[n][n])
{
	for (int s = 0; s < t; s++) {
		for (int i = s; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				b[i][j] = a[i][j - 1] + a[i][j + 1];
		for (int i = s; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				a[i][j] = b[i][j - 1] * b[i][j + 1];
	}
}
"""
FAKE_CUDA = os.environ.get("CETANE_FAKE_CUDA")

NO_ASSEMBLER = {"CETANE_PTXAS": "none", "CETANE_NVJITLINK": "none"}

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


def passes(places, size):
    """Passes that a warp needs for "size" bytes of each place: parts of the
    warp of at most 128 bytes, in each the fullest of 32 banks.
    """
    group, total, least = 32 * 4 // max(size, 4), 0, 0
    for first in range(0, len(places), group):
        words = {(at + i) // 4 for at in places[first:first + group]
                 for i in range(0, size, 4)}
        banks = [word % 32 for word in words]
        total += max(banks.count(b) for b in banks)
        least += -(-len(words) // 32)
    return total, least


# What stays apart is a remark: R317.
class Source(command.Case):
    def facts(self, text, *args, **more):
        self.write("p.dsl", text)
        out, _ = self.cetane("inspect", "p.dsl", "--json", *args, **more)
        return json.loads(out)

    def access(self, facts, array, write=False, kernel=0):
        found = [a for a in facts["kernels"][kernel]["accesses"]
                 if a["array"] == array and a["write"] == write]
        self.assertEqual(len(found), 1, array)
        return found[0]

    def counts(self, *args, **more):
        a = self.access(*args, **more)
        return a["lanes"], a["transactions"], a["least"]

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

    def test_two_schedules(self):
        """Both texts come back from the marks, and no more lines could be kept."""
        args = "inspect", "fig2.dsl", "--schedule"
        trees = [self.cetane(*args, *more)[0].decode() for more in (
            [], ["-DK=64"], ["-DM=4096", "-DN=4096", "-DK=4096"],
            ["--map=naive"])]
        self.assertGreaterEqual(len(set(trees)), 3)
        for was in trees + ["", "one line without an end"]:
            self.write("before", was)
            out = self.cetane(*args, "--against=before")[0].decode()
            lines = out.splitlines()
            old, new = was.splitlines(), trees[0].splitlines()
            self.assertEqual([s[2:] for s in lines if s[:2] in ("  ", "- ")], old)
            self.assertEqual([s[2:] for s in lines if s[:2] in ("  ", "+ ")], new)
            most = [0] * (len(new) + 1)
            for one in old:
                last = most[:]
                for k, other in enumerate(new):
                    most[k + 1] = last[k] + 1 if one == other else max(
                        last[k + 1], most[k])
            self.assertEqual(sum(s[:2] == "  " for s in lines), most[-1])
        self.cetane(*args, "--against=absent", code=1, says="absent")
        self.cetane("inspect", "fig2.dsl", "--against=before", code=2,
                    says="goes with --schedule")
        self.write("before", "\n" * 4001)
        self.cetane(*args, "--against=before", code=1, says="4000 lines")

    def test_drawing(self):
        """A box for each node of the schedule tree, each with its parent."""
        self.write("chain.dsl", CHAIN)
        args = "inspect", "chain.dsl", "--schedule"
        text = self.cetane(*args)[0].decode()
        root = ElementTree.fromstring(self.cetane(*args, "--svg")[0])
        nodes = re.findall(
            r"(?m)^ *((?:domain|context|band|filter|mark|sequence|set)\b.*)$",
            text)
        boxes = root.findall("{*}g")
        self.assertEqual([box.find("{*}title").text.split("\n")[0]
                          for box in boxes], nodes)
        self.assertEqual(len(root.findall("{*}path")), len(nodes) - 1)
        shown = [line.strip() for line in text.splitlines()]
        for box in boxes:
            for line in box.findall("{*}text"):
                part = line.text.removesuffix(" ...")
                self.assertTrue(any(s.startswith(part) for s in shown), part)

    def layouts(self, name, *args):
        """Kernel -> layout -> point -> place, as --layout prints them."""
        kernels, runs = {}, 0
        for line in self.cetane("inspect", name, "--layout",
                                *args)[0].decode().splitlines():
            if line.startswith("kernel "):
                layouts = kernels[line.split()[1].rstrip(":")] = {}
            elif not line.startswith("    "):
                points = layouts[line.split(":")[0].strip()] = {}
            for point, place in re.findall(r"\[([^]]*)\] ([^,]+)",
                                           line[4:] if line[:4] == "    "
                                           else ""):
                *at, last = point.split(", ")
                first, _, end = last.partition("..")
                at = [int(i) for i in at]
                runs += 1
                for i in range(int(first), int(end or first) + 1):
                    points[(*at, i)] = place, i - int(first)
        return kernels, runs

    def test_layout(self):
        """Threads and registers of points, and bytes of buffers, as thread, tile
        and vec of the kernel and extents of the buffers say.
        """
        self.write("chain.dsl", CHAIN)
        kernels, runs = self.layouts("chain.dsl")
        poly = self.cetane("build", "chain.dsl", "--emit=poly", "-o",
                           "-")[0].decode()
        tiles = re.findall(r"(?m)^kernel (\w+) tiled thread (\d+) (\d+) tile "
                           r"(\d+) (\d+) \d+ vec (\d+) (\d+)", poly)
        self.assertTrue(tiles)
        for name, *numbers in tiles:
            t0, t1, m, n, v0, v1 = map(int, numbers)
            points = kernels[name]["points"]
            self.assertEqual(len(points), m * n)
            for (p0, p1), (place, further) in points.items():
                thread, first = re.match(r"t(\d+) r(\d+)", place).groups()
                r0, r1 = divmod(int(first) + further, n // t1)
                i, j = divmod(int(thread), t1)
                self.assertEqual((p0, p1), (
                    r0 // v0 * t0 * v0 + i * v0 + r0 % v0,
                    r1 // v1 * t1 * v1 + j * v1 + r1 % v1))
        buffers = re.findall(r'(?m)^array (\w+) f32 temp shared "\{ \w+\['
                             r'([^]]*)\] \}"(?: pad (\d+))?', poly)
        self.assertTrue(buffers)
        for name, extents, pad in buffers:
            sizes = [int(i.strip("()")) for i in extents.split(", ")]
            own = [k[name] for k in kernels.values() if name in k]
            self.assertTrue(own)
            self.assertEqual(len(own[0]), math.prod(sizes))
            sizes[-1] += int(pad or 0)
            for point, (place, further) in own[0].items():
                at = 0
                for i, size in zip(point, sizes):
                    at = at * size + i
                self.assertEqual(place, "byte %d" % (4 * (at - further)))
        root = ElementTree.fromstring(self.cetane(
            "inspect", "chain.dsl", "--layout", "--svg")[0])
        boxes = root.findall("{*}g")
        self.assertEqual(len(boxes), runs)
        for box in boxes:
            rect = box.find("{*}rect")
            for at, size, whole in ("x", "width", "width"), ("y", "height",
                                                             "height"):
                self.assertLessEqual(float(rect.get(at)) + float(
                    rect.get(size)), float(root.get(whole)))

    def check_boxes(self, name, *args):
        """Every text ends inside of its box, in any font."""
        root = ElementTree.fromstring(self.cetane(
            "inspect", name, "--schedule", "--svg", *args)[0])
        whole = float(root.get("width")), float(root.get("height"))
        for box in root.findall("{*}g"):
            rect = box.find("{*}rect")
            x, y, width, height = (float(rect.get(key)) for key in
                                   ("x", "y", "width", "height"))
            self.assertLessEqual(x + width, whole[0])
            self.assertLessEqual(y + height, whole[1])
            for text in box.findall("{*}text"):
                left, base = float(text.get("x")), float(text.get("y"))
                length = float(text.get("textLength"))
                self.assertEqual(text.get("lengthAdjust"), "spacingAndGlyphs")
                # Not narrower than a font of this size can be read.
                self.assertGreater(length, 6.5 * len(text.text))
                self.assertGreaterEqual(left, x)
                self.assertLessEqual(left + length, x + width)
                self.assertGreaterEqual(base - 11, y)
                self.assertLessEqual(base + 4, y + height)

    def test_boxes(self):
        self.write("chain.dsl", CHAIN)
        self.write("long.dsl", re.sub(r"\b([TZ])\b",
                                      lambda m: m[1] * 60, CHAIN))
        self.write("steps.c", STEPS)
        for name in "fig2.dsl", "chain.dsl", "long.dsl", "steps.c":
            self.check_boxes(name)

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

    def test_coalescing(self):
        for element, size in ("FLOAT", 4), ("DOUBLE", 8), ("HALF", 2):
            facts = self.facts(TURN % element, "-D", "M=301", "-D", "N=299")
            self.assertEqual(self.counts(facts, "X"), (32, 32, size))
            self.assertEqual(self.counts(facts, "Y", True), (32, size, size))
        # Rows of 16 bytes: two lanes share a sector.
        facts = self.facts(TURN % "FLOAT", "-D", "M=4", "-D", "N=101")
        self.assertEqual(self.counts(facts, "X"), (32, 16, 16))
        # Lanes write the first of their runs of 16 bytes.
        facts = self.facts(TURN % "FLOAT", "-D", "M=300", "-D", "N=300")
        self.assertEqual(self.counts(facts, "Y", True), (32, 16, 16))
        facts = self.facts(TURN % "FLOAT", "-D", "M=1", "-D", "N=101")
        self.assertEqual(self.counts(facts, "X"), (32, 4, 4))

    def test_runs(self):
        """Lanes of a tiled kernel write the first of their runs."""
        for element, size in ("FLOAT", 4), ("DOUBLE", 8):
            facts, text = self.mapped(element)
            _, (_, thread), _, (_, vec) = self.kernel(text)
            row = min(thread, 32) * size * vec
            sectors = {(lane // thread, lane % thread * size * vec // 32)
                       for lane in range(32)}
            self.assertEqual(self.counts(facts, "E", True),
                             (32, len(sectors), size), row)

    def test_broadcast(self):
        facts = self.facts("Params M, N;\nMatrix A(M,1); Matrix B(M,N);\n"
                           "E = A + B;\nCodeGen(FLOAT, {E});\n")
        self.assertEqual(self.counts(facts, "A"), (32, 1, 1))
        self.assertEqual(self.counts(facts, "B"), (32, 4, 4))

    def mapped(self, element):
        """The facts of a product, and its mapped program as text."""
        facts = self.facts(command.FIG2.replace("FLOAT", element),
                           env=NO_ASSEMBLER)
        out, _ = self.cetane("build", "p.dsl", "--emit=poly")
        return facts, out.decode()

    def kernel(self, text):
        """Tile, threads, depth and runs of the only kernel."""
        m = re.search(r"(?m)^kernel \w+ tiled thread (\d+) (\d+) tile (\d+) "
                      r"(\d+) (\d+)(?: vec (\d+) (\d+))?", text)
        n = [int(x or 1) for x in m.groups()]
        return n[2:4], n[:2], n[4], n[5:]

    def buffer(self, text, name):
        """Columns of a buffer, and what its rows take in memory."""
        m = re.search(rf"(?m)^array {name} .*\((\d+)\)\] }}\"(?: pad (\d+))?",
                      text)
        return int(m[1]), int(m[1]) + int(m[2] or 0)

    def test_banks(self):
        """Against the copies and reads as the mapping has them."""
        for element, size in ("FLOAT", 4), ("HALF", 2), ("DOUBLE", 8):
            facts, text = self.mapped(element)
            tile, thread, depth, vec = self.kernel(text)
            for axis, name in enumerate(("A_shared", "B_shared")):
                columns, row = self.buffer(text, name)
                steps = columns == depth != tile[axis]
                self.assertTrue(steps or columns == tile[axis])
                if re.search(rf"(?m)^  fill 0 coalesce 0.*\n.*\n  write {name}",
                             text):
                    places = [(lane % depth, lane // depth)
                              for lane in range(32)]
                else:
                    places = [(lane // columns, lane % columns)
                              for lane in range(32)]
                want = passes([(r * row + c) * size for r, c in places], size)
                self.assertEqual(self.counts(facts, name, True), (32, *want))
                at = [(lane // thread[1], lane % thread[1])[axis] * vec[axis]
                      for lane in range(32)]
                at = [x * row for x in at] if steps else at
                width = self.access(facts, name)["vector"]
                self.assertEqual(vec[axis] * size % (width * size), 0)
                want = passes([x * size for x in at], width * size)
                self.assertEqual(self.counts(facts, name)[1:], want)

    def test_schedule(self):
        out, _ = self.cetane("inspect", "fig2.dsl", "--schedule")
        tree, _ = self.cetane("build", "fig2.dsl", "--emit=schedule")
        self.assertEqual(out, tree)
        self.cetane("inspect", "fig2.dsl", "--schedule", "--json", code=2,
                    says="--schedule")

    def launched(self, name, *args, env):
        """The launches that a driver sees, as kernel: [(tiles, block)]."""
        log = self.path("launches")
        self.write("launches", "")
        self.cetane("run", name, "--parametric", "--no-verify",
                    "--device=cuda", *args, env=dict(
                        env, CETANE_DRIVER=FAKE_CUDA,
                        FAKE_CUDA_CAPABILITY="90", FAKE_CUDA_LAUNCHES=log))
        found = {}
        for line in self.read("launches").decode().splitlines():
            kernel, x, y, z, *block = line.split()
            self.assertEqual(z, "1")
            found.setdefault(kernel, []).append(
                ([int(x), int(y)], [int(n) for n in block]))
        return found

    def check_launches(self, name, *args, env={}):
        """What is said of each kernel is what a driver sees."""
        out, _ = self.cetane("inspect", name, "--parametric", "--json",
                             *args, env=env)
        facts = json.loads(out)
        seen = self.launched(name, *args, env=env)
        for k in facts["kernels"]:
            there = seen.pop(k["name"][:31], [])
            grids = [grid for grid, _ in there]
            self.assertEqual(k["launches"], len(there), k["name"])
            if there:
                self.assertEqual(k["block"], there[0][1])
                self.assertEqual(
                    k["blocks"], max(grids, key=lambda g: g[0] * g[1]))
                self.assertEqual(
                    k["least_blocks"], min(grids, key=lambda g: g[0] * g[1]))
        self.assertEqual(seen, {})
        return facts

    def check_version(self, number, n, sizes):
        """Version "number" of at most "n" is the one that has launches."""
        facts = self.check_launches(
            "fig2.dsl", f"--versions={n}", "-DM=%d" % sizes[0],
            "-DK=%d" % sizes[1], "-DN=%d" % sizes[2],
            env={"CETANE_DEBUG": f"version{number}"})
        self.assertEqual(facts["version"], number)
        runs = facts["versions"][number]["runs"]
        self.assertEqual(set(runs), {
            k["name"] for k in facts["kernels"] if k["launches"]})
        m, k, n = sizes
        work = [kernel["operations"] for kernel in facts["kernels"]
                if kernel["launches"] and "D_mul" in kernel["statements"]]
        # Each product and sum once, the bias in some of the kernels.
        self.assertLessEqual(abs(sum(work) - 2 * m * n * k), 2 * m * n)

    @unittest.skipUnless(FAKE_CUDA, "no fake driver")
    def test_versions(self):
        """Kernels of all versions; the version that runs has launches."""
        self.check_version(5, 4, (32, 960, 64))
        if os.environ.get("CETANE_TEST_PAIRS"):
            for number, n in (1, 4), (16, 4):
                self.check_version(number, n, (32, 960, 64))
            for number in 107, 127:
                self.check_version(number, 12, (384, 192, 384))
        text, _ = self.cetane("inspect", "fig2.dsl", "--versions=2")
        self.assertRegex(text.decode(), r"versions: [2-9]\d*; version \d+ runs "
                         r"at these sizes\n    version 0: if ")

    @unittest.skipUnless(FAKE_CUDA, "no fake driver")
    def test_steps(self):
        """Launches are counted; of their grids the range is told."""
        self.write("steps.c", STEPS)
        facts = self.check_launches("steps.c", "-Dn=300", "-Dt=10")
        self.assertEqual([k["launches"] for k in facts["kernels"]], [10, 10])
        self.assertGreater(facts["kernels"][0]["blocks"][1],
                           facts["kernels"][0]["least_blocks"][1])
        self.check_launches("steps.c", "-Dn=300", "-Dt=0")
        args = "inspect", "steps.c", "--parametric", "-Dn=300"
        for t, told in ("10", r"\d+ x \d+ to \d+ x \d+, 10 launches"), (
                "0", "no launch"):
            text, _ = self.cetane(*args, "-Dt=" + t)
            self.assertRegex(text.decode(), f"  grid  .*: {told}\n")
        self.write("steps.c", STEPS.replace("i = s", "i = 0"))
        text, _ = self.cetane(*args, "-Dt=2000000000")
        self.assertRegex(text.decode(),
                         r"  grid  .*: 10 x 38, more than \d+ launches\n")

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



@unittest.skipUnless(command.PTXAS, "no ptxas")
class Artifact(command.Case):
    def inspect(self, name, **more):
        return self.cetane("inspect", name, **more)[0].decode()

    def build(self, *args):
        return self.cetane("build", *args)

    def hash(self, name):
        return hashlib.sha256(self.read(name)).hexdigest()

    def test_object(self):
        self.write("chain.dsl", CHAIN)
        self.build("chain.dsl", "--emit=object", "--arch=h100,sm_80",
                   "-DN=64")
        facts = json.loads(self.read("chain.json"))
        text = self.inspect("chain.o")
        self.assertRegex(text, r"\Aprogram chain in chain.o: ABI \d+, 4 "
                         rf"images, {facts['container']['bytes']} bytes, "
                         rf"sha256 {facts['container']['sha256']}\n")
        first = facts["images"][3]["kernels"][0]
        grid, shared = first["tiles"][0], first["dynamic_shared_bytes"]
        block = "%d x %d" % tuple(first["block"][:2])
        for line in (
                f"  by cetane {facts['made_by']['cetane']}, "
                f"LLVM {facts['made_by']['llvm']}, "
                f"isl {facts['made_by']['isl']}, "
                f"ptxas {facts['made_by']['ptxas']}",
                f"  from chain.dsl, sha256 {facts['source']['sha256']}",
                "  chain(stream, M, K, N, W, X, Y, Z, workspace)",
                "    input  W f32[64][K]", "    output Z f32[M][K]",
                "    N is fixed: 64",
                "  image 3: functions for the host device, "
                f"{facts['images'][3]['triple']}",
                f"    launch chain_T: grid 1 x {grid}, block {block}, "
                f"{shared} bytes of dynamic shared memory",
                "    spills of chain_T: 0 bytes stored, 0 bytes loaded"):
            self.assertIn(line + "\n", text)
        for i, image in enumerate(facts["images"][:3]):
            name = {"cubin": "cubin " + image["arch"], "ptx":
                    f"PTX {image['ptx_isa']} for {image['arch']} and later"}
            self.assertIn(f"  image {i}: {name[image['kind']]}, "
                          f"{image['bytes']} bytes, sha256 "
                          f"{image['sha256']}\n", text)
            for kernel in image["kernels"]:
                if "registers" in kernel:
                    self.assertIn(
                        f"    kernel {kernel['name']}: "
                        f"{kernel['registers']} registers, "
                        f"{kernel['stack_bytes']} bytes of stack, ", text)
        self.assertTrue(text.endswith("else the launch fails\n"))
        self.assertEqual(json.loads(self.cetane(
            "inspect", "chain.o", "--json")[0])["kind"], "object")
        self.cetane("inspect", "chain.o", "--schedule", code=2)

    def test_program(self):
        """Both objects of a file are found, and a stripped note is missed."""
        self.build("fig2.dsl", "--emit=object")
        self.build("scale.dsl", "--emit=object")
        self.write("both", self.read("fig2.o") + self.read("scale.o"))
        text = self.inspect("both")
        self.assertEqual(re.findall(r"(?m)^program (\w+) ", text),
                         ["fig2", "scale"])
        self.assertEqual(re.findall(r"(?m)^  from (\S+),", text),
                         ["fig2.dsl", "scale.dsl"])
        if not shutil.which("objcopy"):
            return
        subprocess.run(["objcopy", "-R", ".comment", self.path("fig2.o")],
                       check=True)
        text = self.inspect("fig2.o")
        self.assertIn("program fig2 in", text)
        self.assertNotIn("by cetane", text)

    def test_cubin(self):
        for arch in "sm_75", "sm_89", "sm_90a", "sm_103", "sm_120a":
            _, err = self.build("fig2.dsl", "--emit=cubin", "--arch=" + arch,
                                "-o", "c")
            used = re.search(r"(\d+) registers, (\d+) bytes stack", err)
            text = self.inspect("c")
            self.assertTrue(text.startswith(
                f"cubin {arch}, {os.path.getsize(self.path('c'))} bytes, "
                f"sha256 {self.hash('c')}\n    needs driver "), text)
            self.assertIn(f"    kernel fig2_E: {used[1]} registers, "
                          f"{used[2]} bytes of stack, ", text)

    def test_ptx(self):
        for arch, says in (
                ("sm_80", "PTX 7.8 for sm_80 and later, "),
                ("sm_90a", "PTX 8.1 for sm_90a alone, "),
                ("sm_121", "PTX 8.8 for sm_121 and later, ")):
            self.build("fig2.dsl", "--arch=" + arch, "-o", "p.ptx")
            text = self.inspect("p.ptx")
            self.assertTrue(text.startswith(says), text)
            self.assertIn("    kernel fig2_E\n", text)
        self.assertIn("needs driver 575.51 (CUDA 12.9) or later", text)

    def test_damaged(self):
        """E710 or a report, but no crash and no control characters."""
        self.build("scale.dsl", "--emit=object", "--map=naive")
        self.build("scale.dsl", "--emit=cubin", "--map=naive", "-o", "c")
        self.write("short", b"\x7fELF")
        self.cetane("inspect", "short", code=1, says="E710")
        dice = random.Random(7)
        for name in "scale.o", "c":
            whole = self.read(name)
            start = whole.find(b"\x89CETANE\n") if name != "c" else 0
            for i in range(40):
                bad = bytearray(whole)
                for _ in range(dice.choice((1, 4, 400))):
                    at = start + dice.randrange(
                        dice.choice((64, 400, len(bad) - start)))
                    bad[at] = dice.randrange(256)
                if i % 4 == 0:
                    del bad[dice.randrange(start, len(bad)):]
                self.write("bad", bytes(bad))
                p = self.run_raw("inspect", "bad")
                self.assertIn(p.returncode, (0, 1), p.stderr)
                self.assertFalse(re.search(rb"[\x00-\x09\x0b-\x1f]",
                                           p.stdout))
                self.assertEqual(p.returncode == 1, b"E710" in p.stderr or
                                 b"E101" in p.stderr, p.stderr)


SCAN = """param N, M;
tensor f32 x(N,M);
out s(i,j) for 0<=i<N, 0<=j<M = case {
	i == 0: x(0,j); else: s(i-1,j) + x(i,j); };
"""


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
