"""The verb bench, on a driver and a cuBLAS that are fakes: times are those
that the test scripts, products are computed on the host.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import xml.etree.ElementTree

import command

FAKE = os.environ.get("CETANE_FAKE_CUDA")
CUBLAS = os.environ.get("CETANE_FAKE_CUBLAS")
OLD_CUBLAS = os.environ.get("CETANE_FAKE_CUBLAS_OLD")


class Bench(command.Case):
    def setUp(self):
        super().setUp()
        self.write("sizes", "64 48 32\n")
        # Compiled once for all cases.
        self.artifacts = Bench.folder_of_all
        self.env = {"CETANE_DRIVER": FAKE, "FAKE_CUDA_CAPABILITY": "90",
                    "FAKE_CUDA_LAUNCH_MS": "0.5", "FAKE_CUBLAS_MS": "0.75",
                    "FAKE_CUDA_COPY_MS": "0.25",
                    "FAKE_CUDA_KERNELS": CUBLAS}

    def bench(self, *args, env=None, suite="gemm/nn", **more):
        return self.cetane("bench", "--suite=" + suite, "--sizes=sizes",
                           "--cublas=" + CUBLAS,
                           "--artifacts=" + self.artifacts, *args,
                           env=dict(self.env, **(env or {})), **more)

    def rows(self, name="rows.tsv"):
        lines = [line.split("\t") for line in
                 self.read(name).decode().splitlines() if line[0] != "#"]
        return [dict(zip(lines[0], line)) for line in lines[1:]]

    def test_times_and_ratio(self):
        out, err = self.bench("-o", "rows.tsv", "-o", "rows.json", "-o",
                              "plot.svg")
        row, = self.rows()
        self.assertEqual(row["state"], "verified")
        self.assertAlmostEqual(float(row["ours_ms"]), 0.5)
        self.assertAlmostEqual(float(row["base_ms"]), 0.75)
        self.assertAlmostEqual(float(row["ratio"]), 1.5)
        self.assertEqual(row["size"], "64x48x32")
        self.assertEqual(row["rounds"], "7")
        self.assertEqual(row["calls"], "6")
        self.assertEqual(float(row["work"]), 2 * 64 * 48 * 32)
        self.assertEqual(float(row["bytes"]),
                         4 * (64 * 32 + 32 * 48 + 64 * 48))
        self.assertLess(float(row["error"]), 1)
        self.assertEqual((row["registers"], row["local"], row["occupancy"]),
                         ("96", "16", "0.5"))
        self.assertEqual(row["image"], "cubin" if command.PTXAS else "ptx")
        self.assertRegex(out.decode(), r"gemm nn +64x48x32 +cublas +0.7500 "
                         r"+0.5000 +1.500")
        self.assertIn(b"geometric mean 1.500, least 1.500, 1 of 1 >= 1", out)
        self.assertIn(b"Fake GPU 0", out)
        self.assertRegex(out, rb"cetane [\d.]+ \([0-9a-f]{8}\), --arch=sm_90a")
        self.assertIn(b"cuBLAS 130100: " + CUBLAS.encode(), out)

    def test_json_and_svg(self):
        self.bench("-o", "rows.json", "-o", "plot.svg", "--svg=bars.svg")
        data = json.loads(self.read("rows.json"))
        row, = data["rows"]
        self.assertEqual(row["ratio"], 1.5)
        self.assertEqual(row["state"], "verified")
        self.assertTrue(any("Fake GPU" in fact for fact in data["facts"]))
        self.assertIn("Fake GPU", data["device"])
        self.assertEqual(row["ours_samples"], [.5] * 7)
        self.assertEqual(row["base_samples"], [.75] * 7)
        svg = xml.etree.ElementTree.fromstring(self.read("plot.svg"))
        command.texts_inside(self, svg)
        bars = xml.etree.ElementTree.fromstring(self.read("bars.svg"))
        command.texts_inside(self, bars)
        self.assertEqual(len(bars.findall(
            "{http://www.w3.org/2000/svg}rect")) - 1,
            len(json.loads(self.read("rows.json"))["rows"]))
        circles = svg.findall("{http://www.w3.org/2000/svg}circle")
        # One in each panel, one in the legend.
        self.assertEqual(len(circles), 3)

    def test_copy(self):
        """Against a copy of as many bytes, on sets of arrays that are more
        than three times the cache of 1 MiB.
        """
        self.write("sizes", "640 480\n")
        self.bench("-o", "rows.tsv", suite="elementwise/add")
        row, = self.rows()
        self.assertEqual(row["base"], "copy")
        self.assertAlmostEqual(float(row["base_ms"]), 0.25)
        self.assertAlmostEqual(float(row["ratio"]), 0.5)
        self.assertEqual(float(row["bytes"]), 12 * 640 * 480)
        # Cold: a round goes through all sets, once or more often.
        self.assertEqual(int(row["calls"]) % 2, 0)

    def test_parametric(self):
        """One program for all sizes, beside those for each."""
        self.write("sizes", "64 48 32\n64 48 1\n")
        self.bench("-o", "rows.tsv", "--parametric", "--artifacts=art")
        self.assertEqual([(r["size"], r["base"], r["ratio"], r["state"])
                          for r in self.rows()],
                         [("64x48x32", "cublas", "1.5", "verified"),
                          ("64x48x32", "fixed", "1", "verified"),
                          ("64x48x1", "cublas", "1.5", "verified"),
                          ("64x48x1", "fixed", "1", "verified")])
        names = sorted(os.listdir(self.path("art")))
        self.assertEqual([n.split("-")[2] for n in names],
                         ["64x48x1", "64x48x32", "any"])

    def test_tuned(self):
        """What --tuning gives is one more column; ours is the model's."""
        out, _ = self.cetane("tune", "--dry-run", "--sizes=sizes",
                             "--suite=gemm/nn", "--budget=1")
        program = re.search(rb"program (\w+)", out)[1].decode()
        self.write("t.db", f"cetane-tuning 1\nx {program} M=64,N=48,K=32 "
                   f"sm_90a GPU {command.VERSION} 1 2 : "
                   "kernel C thread 8 8 tile 16 32 32 vec 1 4 steps 4\n")
        self.bench("-o", "rows.tsv", "--tuning=t.db",
                   env={"FAKE_CUDA_THREAD_MS": "0.002"})
        self.assertEqual([(r["base"], r["ours_ms"], r["base_ms"])
                          for r in self.rows()],
                         [("cublas", "0.756", "0.75"),
                          ("tuned", "0.756", "0.628")])
        self.bench("--tuning=sizes", code=1, says="error[E719]")

    def test_configured(self):
        """What --config gives is one more column, too."""
        self.write("c.cfg", "cetane-config 1\nkernel gemm_nn_C thread 8 8 "
                   "tile 16 32 32 vec 1 4 steps 4\n")
        self.bench("-o", "rows.tsv", "--config=c.cfg",
                   env={"FAKE_CUDA_THREAD_MS": "0.002"})
        self.assertEqual([(r["base"], r["ours_ms"], r["base_ms"])
                          for r in self.rows()],
                         [("cublas", "0.756", "0.75"),
                          ("config", "0.756", "0.628")])
        # It does not find what the library has written.
        _, err = self.bench("--config=c.cfg", code=5, says="error[E713]",
                            env={"FAKE_KERNEL_IDLE": "64"})
        self.assertIn("config: element C[0]", err)
        self.bench("--config=missing", code=1, says="E551")
        self.write("c.cfg", "cetane-config 1\nkernel D thread 8 8 "
                   "tile 16 32 32 vec 1 4 steps 4\n")
        out, _ = self.bench("--config=c.cfg", code=1, says="E610")
        self.assertIn(b"failed", out)

    def test_summary_of_odd_sizes(self):
        """By our own rate: the time is the same, the work is less."""
        self.write("sizes", "15 16 16\n16 16 16\n31 32 32\n")
        out, _ = self.bench(suite="gemm-square")
        self.assertIn(b"against multiples of 16 geometric mean 0.938, "
                      b"least 0.938, 0 of 1 >= 1", out)

    def test_summary_of_layouts(self):
        """Rows of other layouts stand in the file of results: the kernels of
        this test have but one.
        """
        self.write("sizes", "64 48 32\n16 16 16\n")
        self.bench("--resume=all.tsv")
        text = self.read("all.tsv").decode()
        rows = [line for line in text.splitlines() if "\tnn\t" in line]
        tn = [r.replace("\tnn\t", "\ttn\t").replace("\t0.5\t", "\t%s\t" % ms)
              for r, ms in zip(rows, ("0.4", "0.8"))]
        self.write("all.tsv", text + "\n".join(tn) + "\n")
        out, _ = self.bench("--resume=all.tsv")
        self.assertRegex(out, rb"gemm +tn +against our nn +geometric mean "
                         rb"0.884, least 0.625, 1 of 2 >= 1")

    def test_clocks(self):
        """As the management library of the driver tells them."""
        shutil.copy(CUBLAS, self.path("libnvidia-ml.so.1"))
        out, _ = self.bench("-o", "rows.tsv",
                            env={"LD_LIBRARY_PATH": self.folder.name})
        row, = self.rows()
        self.assertEqual((row["mhz"], row["watt"], row["throttle"]),
                         ("1410", "321", "0x4"))
        self.assertRegex(out, rb"%  power cap\n")

    def test_end_to_end(self):
        self.bench("-o", "rows.tsv", "--end-to-end",
                   env={"FAKE_CUDA_HOST_MS": "2"})
        # Two inputs and one output are copied.
        self.assertEqual(self.rows()[0]["end_ms"], "6.5")

    def test_repeat_and_regimes(self):
        self.bench("--repeat=3", "-o", "rows.tsv")
        self.assertEqual(self.rows()[0]["rounds"], "3")
        self.bench("--repeat=2", "--regime=burst", "-o", "rows.tsv")
        self.assertEqual(self.rows()[0]["calls"], "12")
        out, _ = self.bench("--repeat=1", "--regime=steady")
        self.assertIn(b"regime steady", out)

    def test_layouts(self):
        """The library multiplies what is stored transposed, too; our kernels
        of this test do not.
        """
        for form in "tn", "nt", "tt":
            _, err = self.bench(suite="gemm/" + form, code=5,
                                says="error[E713]")
            self.assertIn("cetane: element C[", err)

    def test_wrong_result_of_ours(self):
        out, err = self.bench("-o", "rows.tsv", "-o", "plot.svg", code=5,
                              env={"FAKE_KERNEL_WRONG": "0"},
                              says="error[E713]")
        self.assertRegex(err, r"gemm nn 64x48x32: cetane: element C\[0\] is")
        self.assertEqual(self.rows()[0]["state"], "wrong")
        self.assertIn(b"1 without a time", out)
        # That of the legend.
        self.assertEqual(self.read("plot.svg").count(b"<circle"), 1)

    def test_wrong_element_between_the_points(self):
        """Few elements have a reference; all are compared with cuBLAS."""
        seen = set()
        for i in range(2, 3000, 600):
            _, err = self.bench(code=5, env={"FAKE_KERNEL_WRONG": str(i)},
                                says="E713")
            seen.add(re.search(r"(cetane|cublas): element C\[(\d+)\]",
                               err).groups())
        self.assertEqual({int(n) for _, n in seen}, set(range(2, 3000, 600)))
        self.assertIn("cublas", {side for side, _ in seen})

    def test_kernel_that_writes_nothing(self):
        self.bench(code=5, env={"FAKE_CUDA_KERNELS": ""},
                   says="C[0] is")

    def test_wrong_library(self):
        _, err = self.bench(code=5, env={"FAKE_CUBLAS_WRONG": "0"},
                            says="error[E713]")
        self.assertIn("cublas: element C[0]", err)

    def test_library_call_fails(self):
        out, _ = self.bench("-o", "rows.tsv", code=3,
                            env={"FAKE_CUBLAS_FAIL": "cublasSgemm"},
                            says="error[E716]: cublas: a call failed (13)")
        self.assertEqual(self.rows()[0]["state"], "failed")

    def test_only_the_library_fails(self):
        """The other base of the row has its time."""
        self.bench("-o", "rows.tsv", "--parametric", "--artifacts=art",
                   code=3, env={"FAKE_CUBLAS_FAIL": "cublasSgemm"})
        self.assertEqual([(r["base"], r["state"]) for r in self.rows()],
                         [("cublas", "failed"), ("fixed", "verified")])

    def test_driver_call_fails(self):
        for name in ("cuGraphLaunch", "cuStreamBeginCapture",
                     "cuGraphInstantiate", "cuMemHostAlloc", "cuEventCreate",
                     "cuDevicePrimaryCtxRetain", "cuMemcpyDtoDAsync"):
            _, err = self.bench(code=3, env={"FAKE_CUDA_FAIL": name})
            self.assertIn(name, err)

    def test_library_that_is_missing(self):
        """Its rows are left out, others run."""
        self.write("sizes", "64 48\n")
        out, err = self.bench("--cublas=/nonexistent.so", "-o", "rows.tsv",
                              suite="gemm-scaled,elementwise/add", code=3)
        self.assertIn("warning[W712]: rows against cuBLAS are left out: "
                      "no folder has it", err)
        self.assertEqual([r["suite"] for r in self.rows()], ["elementwise"])
        self.write("sizes", "64 48 32\n")
        _, err = self.bench("--cublas=" + OLD_CUBLAS, code=3)
        self.assertIn("left out: cublasDtrmm_v2", err)
        _, err = self.bench(code=3, env={"FAKE_CUBLAS_FAIL": "cublasCreate"})
        self.assertIn("left out: it does not start: 13", err)

    def test_resume(self):
        self.bench("--resume=all.tsv")
        first = self.read("all.tsv")
        self.assertEqual(self.rows("all.tsv")[0]["ratio"], "1.5")
        # The row is not measured again.
        out, _ = self.bench("--resume=all.tsv", "-o", "rows.tsv",
                            env={"FAKE_CUBLAS_MS": "5"})
        self.assertEqual(self.read("all.tsv"), first)
        self.assertEqual(self.rows()[0]["ratio"], "1.5")
        self.assertIn(b"geometric mean 1.500", out)

    def test_resume_runs_what_failed(self):
        self.bench("--resume=all.tsv", code=5,
                   env={"FAKE_KERNEL_WRONG": "0"})
        self.bench("--resume=all.tsv")
        self.assertEqual([r["state"] for r in self.rows("all.tsv")],
                         ["wrong", "verified"])

    def test_resume_with_a_torn_line(self):
        self.bench("--resume=all.tsv")
        self.write("all.tsv", self.read("all.tsv")[:-20])
        self.bench("--resume=all.tsv", "-o", "rows.tsv")
        self.assertEqual([r["ratio"] for r in self.rows()], ["1.5"])
        self.assertEqual([r["ratio"] for r in self.rows("all.tsv")], ["1.5"])

    def test_resume_of_another_run(self):
        self.bench("--resume=all.tsv")
        _, err = self.bench("--resume=all.tsv", "--seed=2", code=1,
                            says="error[E715]")
        self.write("all.tsv", self.read("all.tsv") + b"gemm\tnn\t1x1\n")
        self.bench("--resume=all.tsv", code=1, says="no row of results")

    def test_limit(self):
        out, err = self.bench("--limit=1e-9", code=4,
                              says="warning[W714]: stopped after 0 of 1")

    def test_interrupted(self):
        """The row that is being measured is finished, what is done is
        written, and a message tells of the rest.
        """
        self.write("sizes", "64 48 32\n64 48 1\n64 48 2\n64 48 3\n")
        p = subprocess.Popen(
            [command.CETANE, "bench", "--sizes=sizes", "--suite=gemm/nn",
             "--cublas=" + CUBLAS, "--artifacts=" + self.artifacts,
             "--regime=burst", "--resume=all.tsv", "-o", "rows.tsv"],
            env=dict(os.environ, **self.env), cwd=self.folder.name,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for line in p.stdout:
            if line.startswith(b"gemm nn"):
                p.send_signal(signal.SIGINT)
                break
        _, err = p.communicate(timeout=command.PATIENCE)
        self.assertEqual(p.returncode, 4, err)
        done = int(re.search(rb"W714.*stopped after (\d) of 4", err)[1])
        self.assertTrue(1 <= done < 4)
        self.assertEqual(len(self.rows()), done)
        self.assertEqual(self.rows("all.tsv"), self.rows())

    def test_compile_only_and_artifacts(self):
        out, _ = self.cetane("bench", "--suite=gemm/nn", "--sizes=sizes",
                             "--artifacts=art", "--compile-only",
                             "--arch=sm_90a")
        self.assertEqual(out, b"")
        name, = os.listdir(self.path("art"))
        self.assertRegex(name, r"gemm-nn-64x48x32-sm_90a-\w+\.cetane")
        self.write("art/" + name, b"rubbish")
        _, err = self.bench("--artifacts=art", code=1, says="error[E710]")

    def test_against(self):
        """Another build: what it made differently is timed three times, what
        is the same is left out, and what it lacks is a failure.
        """
        self.write("sizes", "64 48 32\n64 48 1\n")
        options = ["bench", "--suite=gemm/nn", "--sizes=sizes",
                   "--compile-only", "--arch=sm_90a"]
        self.cetane(*options, "--artifacts=old",
                    env={"CETANE_DEBUG": "sm1"})
        self.cetane(*options, "--artifacts=art")
        one = "gemm-nn-64x48x1-"
        name, = (n for n in os.listdir(self.path("art")) if one in n)
        shutil.copy(self.path("art/" + name), self.path("old/" + name))
        more = ["--artifacts=art", "--against=old"]
        env = {"FAKE_CUDA_THREAD_MS": "0.002"}
        out, _ = self.bench(*more, "--resume=all.tsv", env=env)
        row, same = self.rows("all.tsv")
        self.assertEqual([row["base"], row["state"]], ["against", "verified"])
        self.assertEqual([same["base"], same["state"]], ["against", "same"])
        self.assertRegex(out, rb"gemm +nn +against against +geometric mean "
                         rb"[\d.]+, least [\d.]+, \d of 1 >= 1, 1 of the same "
                         rb"program\n")
        self.assertIn(b", against old, seed 1", out)
        # Neither runs again, and no library is needed.
        first = self.read("all.tsv")
        self.bench(*more, "--resume=all.tsv", "--cublas=/nonexistent.so")
        self.assertEqual(self.read("all.tsv"), first)
        os.remove(self.path("old/" + name))
        self.bench(*more, "-o", "rows.tsv", code=1, says="E551", env=env)
        self.assertEqual([r["state"] for r in self.rows()],
                         ["verified", "failed"])
        # What is wrong in either build is found.
        self.bench(*more, code=5, env=dict(env, FAKE_KERNEL_WRONG="0"),
                   says="E713")

    def test_sizes(self):
        def listed(text):
            self.write("s", text)
            out, _ = self.cetane("bench", "--list", "--sizes=s")
            return out.decode().split("\n")[:-1]

        # Only NN runs on all sizes if some are marked with t.
        self.assertEqual(listed("# sizes\n1 2 3 t\n4,5,6\n\n"),
                         ["gemm/nn 1x2x3", "gemm/nn 4x5x6", "gemm/tn 1x2x3",
                          "gemm/nt 1x2x3", "gemm/tt 1x2x3"])
        out, _ = self.cetane("bench", "--list", "--sizes=s", "--mark=t",
                             "--suite=gemm/nn")
        self.assertEqual(out, b"gemm/nn 1x2x3\n")
        for text, why in (("1 2 x 4\n", "marks"), ("0 1 2\n", "a size is"),
                          ("1 2 3\n1 2\n", "line 2"), ("", "no size"),
                          ("1 " * 17 + "\n", "too many"),
                          ("1 2 99999999999\n", "a size is")):
            self.write("s", text)
            self.cetane("bench", "--list", "--sizes=s", code=1, says=why)
        _, err = self.cetane("bench", "--list", "--sizes=s", code=1)
        self.assertIn("error[E711]", err)

    def test_random_sizes(self):
        a, _ = self.cetane("bench", "--list", "--suite=gemm/nn",
                           "--sizes=random:1")
        b, _ = self.cetane("bench", "--list", "--suite=gemm/nn",
                           "--sizes=random:2")
        self.assertNotEqual(a, b)
        sizes = [int(n) for line in a.decode().splitlines()
                 for n in line.split()[1].split("x")]
        self.assertEqual(len(sizes), 300)
        for n in sizes:
            self.assertTrue(32 <= n <= 16384)
            self.assertEqual(n % (32 if n < 128 else 128), 0)
        self.cetane("bench", "--sizes=random:x", code=2, says="random:SEED")

    def test_usage(self):
        for args, says in ((["--device=host"], "cuda or cuda:N"),
                           (["--compile-only"], "needs --artifacts"),
                           (["--repeat=0"], "from 1 on"),
                           (["-o", "x.txt"], ".tsv, .json or .svg"),
                           (["--suite=gemn"], "suite/form"),
                           (["--suite="], "suite/form"),
                           (["--regime=fast"], "plain, burst or steady")):
            self.cetane("bench", *args, code=2, says=says)

    def test_no_driver(self):
        self.cetane("bench", env={"CETANE_DRIVER": "/nonexistent"}, code=3,
                    says="error[E553]")

    def test_list_of_all(self):
        out, _ = self.cetane("bench", "--list", "--suite=all")
        forms = {line.split()[0] for line in out.decode().splitlines()}
        self.assertGreater(len(forms), 30)


def setUpModule():
    import tempfile
    Bench.keeper = tempfile.TemporaryDirectory()
    Bench.folder_of_all = Bench.keeper.name


if __name__ == "__main__":
    command.main()
