"""inspect: launches and grids, against those that a fake driver sees."""
import json
import os
import unittest

import command
from inspected import STEPS, Source

FAKE_CUDA = os.environ.get("CETANE_FAKE_CUDA")


@unittest.skipUnless(FAKE_CUDA, "no fake driver")
class Launches(Source):
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


if __name__ == "__main__":
    command.main()
