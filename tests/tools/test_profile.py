"""The verb profile. What kernels move and compute is counted here by hand, from the text of
the program; on a fake driver times are scripted: each launch takes half a
millisecond. No test asks what times on the host device are.
"""
import json
import os
import xml.etree.ElementTree

import command

FAKE = os.environ.get("CETANE_FAKE_CUDA")
KERNELS = os.environ.get("CETANE_FAKE_CUBLAS")
SVG = "{http://www.w3.org/2000/svg}"

PRODUCT = """Params M, K, N;
Matrix A(M,K);
Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});
"""
GIVEN = ["-DM=64", "-DK=32", "-DN=48"]

# Two kernels: rows, of two statements that lines part, and columns.
TWO = """param N;
tensor f32 x(N,N);
m(i) max= x(i,j);

out y(i,j) = x(i,j) - m(i);
out z(j) += x(i,j) * x(i,j);
"""

# A loop over launches: what a step reads, the one before it has written.
STEPS = """void steps(int t, int n, float a[n][n], float b[n][n])
{
	for (int s = 0; s < t; s++) {
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				b[i][j] = a[i-1][j] + a[i+1][j] * 0.25f;
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				a[i][j] = b[i][j-1] + b[i][j+1] * 0.25f;
	}
}
"""


class Profile(command.Case):
    def setUp(self):
        super().setUp()
        self.write("gemm.dsl", PRODUCT)
        self.write("two.dsl", TWO)

    def profile(self, name, *args, device="host", **more):
        return self.cetane("profile", name, "--device=" + device, *args,
                           **more)

    def kernels(self, name, *args, device="host", **more):
        """The whole, and its kernels by their names."""
        p = self.run_raw("profile", name, "--device=" + device,
                         "--format=json", *args, **more)
        self.assertEqual(p.returncode, 0, p.stderr)
        # What was verified is told beside it.
        self.assertIn(b": verified against", p.stderr)
        data = json.loads(p.stdout)
        return data, {k["name"]: k for k in data["kernels"]}

    def test_host(self):
        out, _ = self.profile("two.dsl", "-DN=40")
        text = out.decode()
        self.assertIn("times are of the host device", text)
        self.assertIn("they say nothing of a GPU", text)
        self.assertIn("y f32[40,40]: verified against the interpreter: 1600 "
                      "of 1600", text)
        rows = {line.split()[0]: line.split() for line in text.splitlines()
                if line.startswith("two_")}
        self.assertEqual(set(rows), {"two_y", "two_z"})
        self.assertEqual(rows["two_y"][-2:], ["3,", "5"])
        self.assertEqual(rows["two_z"][-1], "6")
        # No share of what the host device can do.
        self.assertEqual(rows["two_y"][7], "-")

    def test_counts(self):
        n = 40
        data, kernels = self.kernels("two.dsl", f"-DN={n}")
        self.assertEqual((data["device"], data["host"], data["arch"],
                          data["sizes"]),
                         ("host device", True, "sm_90a", {"N": n}))
        y, z = kernels["two_y"], kernels["two_z"]
        self.assertEqual((y["lines"], z["lines"]), ([3, 5], [6]))
        # Each byte once, and one operation a maximum, a difference, a
        # product and a sum.
        self.assertEqual((y["bytes_read"], y["bytes_written"]),
                         (4 * n * n, 4 * n * n))
        self.assertEqual(y["operations"], 2 * n * n)
        # z begins in its own kernel, which reads no more than y.
        self.assertEqual((z["bytes_read"], z["bytes_written"], z["launches"]),
                         (4 * n * n, 4 * n, 1))
        # Threads that share a column add up their parts.
        self.assertLess(abs(z["operations"] - 2 * n * n), .25 * n * n)
        for k in y, z:
            self.assertEqual(len(k["samples"]), data["runs"])
            self.assertGreater(k["ms"], 0)
            self.assertNotIn("roof", k)
            self.assertNotIn("predicted_ms", k)
        self.assertAlmostEqual(data["ms"], y["ms"] + z["ms"], places=3)

    def test_launches(self):
        """One row of all launches of a kernel in a loop."""
        self.write("steps.c", STEPS)
        data, kernels = self.kernels("steps.c", "-Dt=3", "-Dn=90",
                                     "--repeat=2", env={
                                         "CETANE_DEBUG": "launches"})
        self.assertEqual(data["runs"], 2)
        for name, line in ("steps_b", 6), ("steps_a", 9):
            k = kernels[name]
            self.assertEqual((k["launches"], k["lines"]), (3, [line]))
            self.assertEqual(k["operations"], 3 * 88 * 88 * 2)
            self.assertEqual((k["bytes_written"], len(k["samples"])),
                             (4 * 88 * 88, 2))

    def test_without_assembler(self):
        none = {"CETANE_PTXAS": "none", "CETANE_NVJITLINK": "none"}
        _, kernels = self.kernels("gemm.dsl", *GIVEN, env=none)
        k, = kernels.values()
        for name in "registers", "occupancy":
            self.assertNotIn(name, k)
        self.assertGreater(k["predicted_cycles"], 0)
        self.assertEqual(k["operations"], 2 * 64 * 32 * 48)

    def test_occupancy(self):
        """As inspect has it, of the same code."""
        if not command.PTXAS:
            self.skipTest("no ptxas")
        for arch in "sm_90a", "sm_86":
            _, kernels = self.kernels("two.dsl", "-DN=40", "--arch=" + arch)
            out, _ = self.cetane("inspect", "two.dsl", "-DN=40", "--json",
                                 "--arch=" + arch)
            for want in json.loads(out)["kernels"]:
                have = kernels[want["name"]]
                for name in "occupancy", "registers", "shared_bytes":
                    self.assertEqual(have[name], want[name])

    def test_graphics_processor(self):
        env = {"CETANE_DRIVER": FAKE, "FAKE_CUDA_CAPABILITY": "90",
               "FAKE_CUDA_LAUNCH_MS": "0.5", "FAKE_CUDA_COPY_MS": "0.25",
               "FAKE_CUDA_KERNELS": KERNELS}
        data, kernels = self.kernels("gemm.dsl", *GIVEN, "--repeat=5",
                                     "--svg=a.svg", device="cuda", env=env)
        k, = kernels.values()
        self.assertEqual((data["device"], data["host"]), ("Fake GPU 0", False))
        self.assertEqual((k["ms"], k["samples"]), (.5, [.5] * 5))
        self.assertEqual(k["registers"], 96)
        occupancy = k["occupancy"]
        self.assertEqual(occupancy["warps"], occupancy["blocks"] *
                         k["threads"] // 32)
        bytes_ = 4 * (64 * 32 + 32 * 48 + 64 * 48)
        self.assertEqual(k["bytes_read"] + k["bytes_written"], bytes_)
        # Memory is what limits so small a product, unless arithmetic does.
        self.assertGreaterEqual(k["roof"], .99 * bytes_ / data["copy_rate"] /
                                .5e-3)
        self.assertGreater(k["predicted_ms"], 0)
        out, _ = self.profile("gemm.dsl", *GIVEN, device="cuda", env=env)
        self.assertIn(b"Fake GPU 0", out)
        self.assertNotIn(b"host device", out)
        self.assertIn(b"\ncetane inspect --explain says what limits", out)
        svg = self.read("a.svg").decode()
        self.assertIn("0.5000 ms", svg)
        self.assertIn("of max", svg)
        # A wrong result has no times.
        out, _ = self.profile("gemm.dsl", *GIVEN, device="cuda", code=5,
                              env=dict(env, FAKE_KERNEL_WRONG="5"),
                              says="error[E707]")
        self.assertNotIn(b"launches", out)

    def test_plot(self):
        """A bar for each kernel, as long as its time is."""
        data, kernels = self.kernels("two.dsl", "-DN=40", "--svg=a.svg")
        svg = xml.etree.ElementTree.fromstring(self.read("a.svg"))
        command.texts_inside(self, svg)
        bars = [float(r.get("width")) for r in svg.findall(SVG + "rect")[1:]]
        ms = [k["ms"] for k in data["kernels"]]
        self.assertEqual(len(bars), len(kernels))
        for length, one in zip(bars, ms):
            self.assertAlmostEqual(length / max(bars), one / max(ms),
                                   delta=.01)
        texts = [t.text for t in svg.findall(SVG + "text")]
        self.assertIn("nothing of a GPU", texts[0])
        for name in kernels:
            self.assertIn(name, texts)

    def test_wrong(self):
        self.profile("gemm.dsl", code=2, says="error[E701]")
        self.profile("gemm.dsl", *GIVEN, "--repeat=0", code=2,
                     says="a number from 1 on")
        self.profile("gemm.dsl", *GIVEN, device="hosts", code=2,
                     says="host, cuda or cuda:N")
        self.cetane("profile", code=2, says="no file given")
        self.profile("absent.dsl", code=1, says="error[E551]")
        self.profile("gemm.dsl", *GIVEN, "--svg=absent/a.svg", code=3)
        self.write("gemm.dsl", PRODUCT.replace("A * B", "A * D"))
        _, err = self.profile("gemm.dsl", *GIVEN, "--svg=a.svg", code=1,
                              says="error[E201]")
        self.assertIn("gemm.dsl:4:", err)
        self.assertNotIn("a.svg", self.files())
        self.profile("gemm.dsl", *GIVEN, device="cuda", code=3,
                     env={"CETANE_DRIVER": "/nonexistent"})


if __name__ == "__main__":
    command.main()
