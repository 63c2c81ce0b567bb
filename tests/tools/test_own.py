"""The verb bench on programs of the user's own, and benchcmp. No test asks what times
are: on the host device only that there are some; on a fake driver they are scripted.
"""
import itertools
import json
import os
import random
import re
import subprocess
import xml.etree.ElementTree

import command

FAKE = os.environ.get("CETANE_FAKE_CUDA")
KERNELS = os.environ.get("CETANE_FAKE_CUBLAS")

PRODUCT = """Params M, K, N;
Matrix A(M,K);
Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});
"""
GIVEN = ["-DM=6", "-DK=5", "-DN=4"]

RIVAL = """
#include <math.h>
#include <stdint.h>
int right(const int64_t *n, void *const *a, void *stream);
int wrong(const int64_t *n, void *const *a, void *stream);
int lazy(const int64_t *n, void *const *a, void *stream);
int broken(const int64_t *n, void *const *a, void *stream);

int right(const int64_t *n, void *const *a, void *stream)
{
	const float *x = a[0], *y = a[1];
	float *z = a[2];

	for (int64_t i = 0; i < n[0]; i++)
		for (int64_t j = 0; j < n[2]; j++) {
			double sum = 0;

			for (int64_t k = 0; k < n[1]; k++)
				sum += (double)x[i * n[1] + k] * y[k * n[2] + j];
			z[i * n[2] + j] = (float)sum;
		}
	return stream != 0;
}

int wrong(const int64_t *n, void *const *a, void *stream)
{
	int r = right(n, a, stream);

	((float *)a[2])[n[0] * n[2] - 1] += 1;
	return r;
}

int lazy(const int64_t *n, void *const *a, void *stream)
{
	return stream != 0 || !n || !a;
}

int broken(const int64_t *n, void *const *a, void *stream)
{
	return n && a && !stream ? 77 : 0;
}
"""

# A rival on the fake GPU: its product, in 2 ms of the driver's clock.
GPU_RIVAL = """
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
int product(const int64_t *n, void *const *a, void *stream);
int product(const int64_t *n, void *const *a, void *stream)
{
	void *symbol = dlsym(RTLD_DEFAULT, "fake_cuda_spend");
	void *driver = dlopen(DRIVER, RTLD_NOW | RTLD_NOLOAD);
	void (*spend)(double ms);
	const float *x = a[0], *y = a[1];
	float *z = a[2];

	if (!stream || (!symbol && !(symbol = dlsym(driver, "fake_cuda_spend"))))
		return 1;
	memcpy(&spend, &symbol, sizeof(spend));
	spend(2);
	for (int64_t i = 0; i < n[0]; i++)
		for (int64_t j = 0; j < n[2]; j++) {
			double sum = 0;

			for (int64_t k = 0; k < n[1]; k++)
				sum += (double)x[i * n[1] + k] * y[k * n[2] + j];
			z[i * n[2] + j] = (float)sum;
		}
	return 0;
}
"""

PYTHON = """
def right(v):
    a, b, c = v["A"], v["B"], v["C"]
    for i in range(v["M"]):
        for j in range(v["N"]):
            c[i, j] = sum(a[i, k] * b[k, j] for k in range(v["K"]))

def wrong(v):
    right(v)
    v["C"][0, 0] = 1000

def printing(v):
    print("a word of its own")
    right(v)

def raising(v):
    return v["D"]
"""


SVG = "{http://www.w3.org/2000/svg}"


def bars(case, text):
    """(name, note, length) of each bar of a chart, which are in its frame, and
    where its line is.
    """
    svg = xml.etree.ElementTree.fromstring(text)
    command.texts_inside(case, svg)
    width, height = float(svg.get("width")), float(svg.get("height"))
    boxes = svg.findall(SVG + "rect")[1:]
    texts = [t.text for t in svg.findall(SVG + "text")][1:]
    case.assertEqual(len(texts), 2 * len(boxes))
    for box in boxes:
        case.assertLessEqual(float(box.get("x")) + float(box.get("width")),
                             width)
        case.assertLessEqual(float(box.get("y")) + float(box.get("height")),
                             height)
    line, = svg.findall(SVG + "line")
    case.assertLessEqual(float(line.get("x1")), width)
    left = float(boxes[0].get("x"))
    return list(zip(texts[::2], texts[1::2],
                    [float(b.get("width")) for b in boxes])), \
        float(line.get("x1")) - left


class Own(command.Case):
    def setUp(self):
        super().setUp()
        self.write("gemm.dsl", PRODUCT)
        self.write("rival.py", PYTHON)
        self.write("sizes", "6 5 4\n3 2 1\n")

    def library(self, text=RIVAL, name="rival.so", *flags):
        self.write("rival.c", text)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", *flags,
                        "-o", self.path(name), self.path("rival.c")],
                       check=True)

    def bench(self, *args, device="host", **more):
        return self.cetane("bench", "gemm.dsl", "--device=" + device,
                           "--repeat=2", *args, **more)

    def rows(self, name="rows.json"):
        return json.loads(self.read(name))["rows"]

    def test_alone(self):
        out, _ = self.bench(*GIVEN, "-o", "rows.json")
        self.assertIn(b"times are of the host device", out)
        self.assertIn(b"they say nothing of a GPU", out)
        self.assertIn(b"C f32[6,4]: verified against the interpreter: 24 of "
                      b"24 elements", out)
        row, = self.rows()
        self.assertEqual((row["suite"], row["form"], row["size"], row["base"],
                          row["state"], row["type"]),
                         ("own", "gemm", "6x5x4", "", "verified", "f32"))
        self.assertEqual(row["work"], 2 * 6 * 5 * 4)
        self.assertEqual(row["bytes"], 4 * (6 * 5 + 5 * 4 + 6 * 4))
        self.assertEqual((row["rounds"], len(row["ours_samples"])), (2, 2))
        self.assertGreater(min(row["ours_samples"]), 0)
        self.assertNotIn("ratio", row)
        # Of the host device nothing is told that a GPU alone has.
        for name in "occupancy", "registers", "mhz":
            self.assertNotIn(name, row)
        data = json.loads(self.read("rows.json"))
        self.assertEqual(data["device"], "host device")
        self.assertTrue(any("they say nothing of a GPU" in fact
                            for fact in data["facts"]))

    def test_plot(self):
        """A bar a row: the share of the roofline, or with rivals the ratio."""
        self.bench("--sizes=sizes", "-o", "rows.json", "--svg=a.svg")
        rows, line = bars(self, self.read("a.svg"))
        self.assertEqual([r[0] for r in rows],
                         ["own gemm 6x5x4", "own gemm 3x2x1"])
        for row, (_, note, length) in zip(self.rows(), rows):
            self.assertIn("%.0f%%" % (100 * row["roof"]), note)
            self.assertAlmostEqual(length / line, row["roof"], delta=.01)
        self.library(RIVAL)
        name = "a_rival_whose_name_is_far_too_long_for_what_it_does"
        self.library(RIVAL.replace("right(", name + "("), "rival.so",
                     "-fvisibility=default")
        self.bench(*GIVEN, "--rival=rival.so:" + name, "-o", "rows.json",
                   "--svg=b.svg")
        (row,), line = bars(self, self.read("b.svg"))
        ratio = self.rows()[0]["ratio"]
        self.assertTrue(row[1].startswith("%.3f" % ratio), row)
        self.assertAlmostEqual(row[2] / line, ratio, delta=.02 * ratio + .01)
        self.bench(*GIVEN, "--svg=absent/a.svg", code=3)

    def test_sizes(self):
        self.bench("--sizes=sizes", "-o", "rows.json")
        self.assertEqual([r["size"] for r in self.rows()], ["6x5x4", "3x2x1"])
        self.write("sizes", "6 5\n")
        self.bench("--sizes=sizes", code=1, says="error[E711]")
        self.bench("--sizes=sizes", "-DM=3", code=2, says="from a file, or")
        self.bench("--sizes=random:1", code=2, says="from a file, or")
        self.bench(code=2, says="error[E701]")

    def test_rivals(self):
        """Of C and of Python, each verified and on the same arrays."""
        self.library()
        out, _ = self.bench(*GIVEN, "--rival=rival.so:right", "--rival=" +
                            self.path("rival.py") + ":right", "-o",
                            "rows.json")
        self.assertEqual(out.count(b"verified against the interpreter: 24 of "
                                   b"24"), 3)
        c, python = self.rows()
        self.assertEqual((c["base"], python["base"]),
                         ("rival.so:right", "rival.py:right"))
        for row in c, python:
            self.assertEqual(row["ours_samples"], c["ours_samples"])
            self.assertEqual(len(row["base_samples"]), 2)
            self.assertGreater(row["ratio"], 0)

    def test_rival_that_is_wrong(self):
        self.library()
        for rival, place in (("rival.so:wrong", "C[5,3]"),
                             ("rival.so:lazy", "C[0,0]"),
                             ("rival.py:wrong", "C[0,0]")):
            self.bench(*GIVEN, "--rival=" + rival, "-o", "rows.json", code=5,
                       says="error[E707]: " + place)
            self.assertNotIn("rows.json", self.files())

    def test_rival_that_fails(self):
        self.library()
        self.bench(*GIVEN, "--rival=rival.so:broken", code=3,
                   says="error[E716]: broken: a call failed (77)")
        self.bench(*GIVEN, "--rival=rival.py:raising", code=1,
                   says="error[E728]: the rival raising cannot be used: "
                        "KeyError: 'D' (rival.py, line")
        self.bench(*GIVEN, "--rival=rival.py:absent", code=1,
                   says="AttributeError")
        self.bench(*GIVEN, "--rival=rival.so:absent", code=1, says="absent")
        self.bench(*GIVEN, "--rival=absent.so:right", code=1,
                   says="error[E728]")
        self.bench(*GIVEN, "--rival=rival.so:right", code=3,
                   device="cuda", env={"CETANE_DRIVER": "/nonexistent"})
        for wrong in "right", ":right", "rival.so:":
            self.bench(*GIVEN, "--rival=" + wrong, code=2, says="--rival needs")
        self.bench(*GIVEN, *["--rival=rival.so:right"] * 5, code=2,
                   says="at most four")

    def test_rival_without_python(self):
        self.bench(*GIVEN, "--rival=rival.py:right", code=1,
                   env={"PATH": "/nonexistent"}, says="python3 has ended")

    def test_rival_that_prints(self):
        """Its words do not get between the rows, nor into the answers."""
        out, err = self.cetane("bench", "gemm.dsl", "--device=host",
                               "--repeat=1", *GIVEN,
                               "--rival=rival.py:printing")
        self.assertNotIn(b"a word of its own", out)
        self.assertIn("a word of its own", err)

    def test_what_is_changed_in_place(self):
        """A rival gets such an array once, with what is in it at first."""
        self.write("add.c", "void add(int n, float x[n], float y[n])\n{\n"
                   "\tfor (int i = 0; i < n; i++)\n\t\ty[i] += x[i];\n}\n")
        self.write("rival.py", "def add(v):\n    x, y = v['x'], v['y']\n"
                   "    assert len(v) == 3\n"
                   "    for i in range(v['n']):\n        y[i] += x[i]\n")
        out, _ = self.cetane("bench", "add.c", "-Dn=7", "--device=host",
                             "--repeat=1", "--rival=rival.py:add")
        self.assertEqual(out.count(b"y f32[7]: verified"), 2)

    def test_inputs(self):
        self.write("one.dsl", "param N;\ntensor f32 x(N);\n"
                   "out y(i) = x(i) * 2;\n")
        self.write("rival.py", "def f(v):\n    assert list(v['x']) == [1, 2]\n"
                   "    v['y'][0] = 2\n    v['y'][1] = 4\n")
        self.cetane("bench", "one.dsl", "-DN=2", "--device=host",
                    "--repeat=1", "-ix=[1, 2]", "--rival=rival.py:f")

    def test_types_without_a_name(self):
        """What Python has no name for comes as its bits, 3 bf16 in 6 bytes."""
        self.write("c.dsl", "param N;\ntensor bf16 x(N);\n"
                            "out y(i) for 0 <= i < N = x(i);\n")
        self.write("rival.py", "def f(v):\n"
                   "    x, y = memoryview(v['x']), memoryview(v['y'])\n"
                   "    assert (x.format, len(x), x.nbytes) == ('H', 3, 6)\n"
                   "    assert list(x) == [0x3f80, 0x4000, 0x4040]\n"
                   "    y[:] = x\n")
        self.cetane("bench", "c.dsl", "--device=host", "-DN=3", "--repeat=1",
                    "-ix=[1, 2, 3]", "--rival=rival.py:f")

    def test_usage(self):
        self.bench(*GIVEN, "-o", "rows.tsv", code=2, says="ends in .json")
        for option in ("--resume=x", "--artifacts=x", "--list", "--jobs=2",
                       "--end-to-end", "--cublas=x", "--mark=a"):
            self.bench(*GIVEN, option, code=2, says="with FILE bench takes no")
        for option in ("--rival=a:b", "-DM=3", "--fp=strict",
                       "--input=A=a.npy"):
            self.cetane("bench", option, code=2, says="need a FILE")
        self.cetane("bench", "--device=host", code=2, says="cuda or cuda:N")
        self.bench(*GIVEN, device="hosts", code=2, says="host, cuda or cuda:N")
        self.cetane("bench", "gemm.dsl", "--repeat=0", code=2,
                    says="a number from 1 on")

    def test_program_that_is_wrong(self):
        self.write("gemm.dsl", PRODUCT.replace("A * B", "A * D"))
        _, err = self.bench(*GIVEN, code=1, says="error[E201]")
        self.assertIn("gemm.dsl:4:", err)

    def test_graphics_processor(self):
        """On the fake driver: a launch takes half a millisecond."""
        self.library(GPU_RIVAL, "gpu.so", f'-DDRIVER="{FAKE}"')
        env = {"CETANE_DRIVER": FAKE, "FAKE_CUDA_CAPABILITY": "90",
               "FAKE_CUDA_LAUNCH_MS": "0.5", "FAKE_CUDA_COPY_MS": "0.25",
               "FAKE_CUDA_KERNELS": KERNELS}
        out, _ = self.bench("-DM=64", "-DK=32", "-DN=48",
                            "--rival=gpu.so:product", "-o", "rows.json",
                            device="cuda", env=env)
        row, = self.rows()
        self.assertAlmostEqual(row["ours_ms"], .5)
        self.assertAlmostEqual(row["base_ms"], 2)
        self.assertAlmostEqual(row["ratio"], 4)
        self.assertEqual((row["registers"], row["occupancy"]), (96, .5))
        self.assertIn(b"Fake GPU 0", out)
        self.assertNotIn(b"host device", out)
        self.assertEqual(json.loads(self.read("rows.json"))["device"],
                         "Fake GPU 0")
        self.bench(*GIVEN, "--rival=rival.py:right", code=2, device="cuda",
                   env=env, says="on the host device only")
        self.bench("-DM=64", "-DK=32", "-DN=48", device="cuda", code=5,
                   env=dict(env, FAKE_KERNEL_WRONG="5"), says="error[E707]")


    def test_predictions(self):
        """On the fake driver: what the model says, and how far that is off."""
        env = {"CETANE_DRIVER": FAKE, "FAKE_CUDA_CAPABILITY": "90",
               "FAKE_CUDA_LAUNCH_MS": "0.5", "FAKE_CUDA_KERNELS": KERNELS}
        self.write("sizes", "64 32 48\n640 32 480\n6400 32 480\n")
        out, _ = self.bench("--sizes=sizes", "-o", "rows.json",
                            device="cuda", env=env)
        off = []
        for row, size in zip(self.rows(), open(self.path("sizes"))):
            said, _ = self.cetane("inspect", "gemm.dsl", "--json",
                                  "--arch=sm_90", *map("-D%s=%s".__mod__, zip(
                                      "MKN", size.split())))
            want = json.loads(said)["predicted_us"] / 1e3
            self.assertAlmostEqual(row["predicted_ms"] / want, 1, places=4)
            self.assertIn(b" 0.5000 %12.4f " % want, out)
            off.append(100 * abs(want / row["ours_ms"] - 1))
        off.sort()
        self.assertEqual(len(set("%.1f" % x for x in off)), 3)
        self.assertIn(b"model of time: 3 sizes, error %.1f%% in the median, "
                      b"90th percentile %.1f%%" % (off[1], off[2]), out)
        # So long for so few bytes.
        self.assertIn(b"below 80% of max: cetane inspect --explain", out)
        out, _ = self.bench(*GIVEN, "-o", "rows.json")
        self.assertNotIn(b"predicted", out)
        self.assertNotIn(b"model of time", out)
        self.assertNotIn(b"--explain", out)
        self.assertNotIn("predicted_ms", self.rows()[0])


def results(rows, device="d"):
    return json.dumps({"device": device, "facts": [], "rows": [
        dict({"suite": "own", "form": name, "size": "3", "base": ""},
             ours_samples=samples) for name, samples in rows.items()]})


def probability(x, y):
    """The share of all ways to choose as many of the values as "x" has, in
    which the sum of the ranks is as far from its mean as that of "x".
    """
    both = sorted(x + y)
    rank = {v: sum(i + 1 for i, w in enumerate(both) if w == v) /
            both.count(v) for v in both}
    ranks = [rank[v] for v in x + y]
    mean = len(x) * (len(both) + 1) / 2
    off = abs(sum(ranks[:len(x)]) - mean)
    sums = [abs(sum(c) - mean)
            for c in itertools.combinations(ranks, len(x))]
    return sum(s >= off - 1e-9 for s in sums) / len(sums)


class Compare(command.Case):
    def compare(self, a, b, *args, code=0, says=None, more=("d", "d")):
        self.write("a.json", results(a, more[0]) if isinstance(a, dict) else a)
        self.write("b.json", results(b, more[1]) if isinstance(b, dict) else b)
        return self.cetane("benchcmp", "a.json", "b.json", *args, code=code,
                           says=says)[0].decode()

    def verdicts(self, text):
        return {m[0]: (float(m[1]), m[2]) for m in re.findall(
            r"(?m)^own (\w+) .* +([\d.e-]+)  (\w.*)$", text)}

    def interval(self, text):
        found = re.search(r"(?m)^own .*% +(?:([-+.\d]+) to ([-+.\d]+)%|-) ", text)
        return found[1] and (float(found[1]), float(found[2]))

    def test_probabilities(self):
        """Against all choices, counted one by one; with equal values, too."""
        rng = random.Random(7)
        for _ in range(8):
            x = [rng.randrange(1, 9) for _ in range(rng.randrange(1, 8))]
            y = [rng.randrange(2, 12) for _ in range(rng.randrange(1, 8))]
            text = self.compare({"f": x}, {"f": y})
            p = self.verdicts(text)["f"][0]
            self.assertAlmostEqual(p, probability(x, y),
                                   delta=.006 + .06 * p, msg=(x, y))

    def test_verdicts(self):
        low, high = [1, 2, 3, 4, 5, 6, 7], [11, 12, 13, 14, 15, 16, 17]
        text = self.compare({"up": low, "down": high, "same": low},
                            {"up": high, "down": low, "same": low})
        self.assertEqual({k: v[1] for k, v in self.verdicts(text).items()},
                         {"up": "slower", "down": "faster",
                          "same": "no difference"})
        self.assertIn("3 rows: 1 faster, 1 slower, 1 without a significant "
                      "difference", text)
        self.assertRegex(text, r"own up .* 4\.0000 +14\.0000 +\+250\.00%")

    def test_interval(self):
        """A factor is in it if the samples, one divided by it, do not differ."""
        rng = random.Random(8)
        for _ in range(8):
            x = [rng.uniform(1, 2) for _ in range(rng.randrange(1, 7))]
            y = [rng.uniform(1, 3) for _ in range(rng.randrange(1, 7))]
            quotients = sorted(b / a for a in x for b in y)
            ends = [0] + quotients + [2 * quotients[-1]]
            inside = [i for i in range(len(ends) - 1) if .05 < probability(
                x, [b / ((ends[i] + ends[i + 1]) / 2) for b in y])]
            found = self.interval(self.compare({"f": x}, {"f": y}))
            if inside[0] == 0:
                self.assertIsNone(found)
                continue
            self.assertAlmostEqual(found[0], 100 * (ends[inside[0]] - 1),
                                   delta=.006)
            self.assertAlmostEqual(found[1], 100 * (ends[inside[-1] + 1] - 1),
                                   delta=.006)

    def test_threshold(self):
        """More than chance, and still too little to count."""
        low = [1000, 1001, 1002, 1003, 1004]
        high = [x + 8 for x in low]
        for args, verdict, code in [
                ([], "slower, by less than 1%", 0),
                (["--threshold=0.9%"], "slower, by less than 0.9%", 0),
                (["--threshold=0.7"], "slower", 0),
                (["--fail-on=0.7"], "slower", 5),
                (["--fail-on=0.9"], "slower, by less than 0.9%", 0),
                (["--fail-on=0", "--threshold=2"], "slower, by less than 2%", 0),
                (["--fail-on=0"], "slower", 5)]:
            text = self.compare({"f": low}, {"f": high}, *args, code=code)
            self.assertEqual(self.verdicts(text)["f"][1], verdict, args)
            self.assertIn("1 row: 0 faster, " + (
                "0 slower, 1 by less than" if "less" in verdict else
                "1 slower, 0 without"), text)
        self.assertIn("faster, by less than 1%",
                      self.compare({"f": high}, {"f": low}))
        self.compare({"f": low}, {"f": high}, "--threshold=x", code=2)
        self.compare({"f": low}, {"f": high}, "--svg=a.svg")
        self.assertEqual(bars(self, self.read("a.svg"))[0][0][1], "0.992, little")

    def test_plot(self):
        low, high = [1, 2, 3, 4, 5, 6, 7], [11, 12, 13, 14, 15, 16, 17]
        self.compare({"up": low, "same": low}, {"up": high, "same": low},
                     "--svg=a.svg")
        (up, same), line = bars(self, self.read("a.svg"))
        self.assertEqual((up[0], same[0]), ("own up 3", "own same 3"))
        self.assertEqual(up[1], "0.286")
        self.assertAlmostEqual(up[2] / line, 4 / 14, delta=.01)
        self.assertEqual(same[1], "1.000, no difference")
        self.assertAlmostEqual(same[2], line, delta=.1)
        # What fails by --fail-on is drawn, too.
        self.compare({"up": low}, {"up": high}, "--svg=b.svg", "--fail-on=5",
                     code=5)
        self.assertIn("b.svg", self.files())
        self.compare({"<&>": low}, {"<&>": high}, "--svg=c.svg")
        self.assertEqual(bars(self, self.read("c.svg"))[0][0][0], "own <&> 3")
        self.compare({"up": low}, {"up": high}, "--svg=absent/a", code=3)

    def test_of_many_rows(self):
        """What is significant alone is not among many."""
        a, b = [1, 2, 3, 4], [5, 6, 7, 8]
        text = self.compare({"f": a}, {"f": b})
        self.assertEqual(self.verdicts(text)["f"][1], "slower")
        text = self.compare({n: a for n in "fgh"}, {"f": b, "g": a, "h": a})
        self.assertEqual(self.verdicts(text)["f"][1], "no difference")

    def test_fail_on(self):
        low, high = [100, 101, 102, 103, 104], [110, 111, 112, 113, 114]
        self.compare({"f": low}, {"f": high}, "--fail-on=5", code=5)
        self.compare({"f": low}, {"f": high}, "--fail-on=-5%", code=5)
        self.compare({"f": low}, {"f": high}, "--fail-on=15")
        self.compare({"f": low}, {"f": high}, "--fail-on=-15%")
        for bad in "%", "-", "--5", "5%%", "":
            self.compare({"f": low}, {"f": high}, "--fail-on=" + bad, code=2)
        self.compare({"f": low}, {"f": high})
        self.compare({"f": high}, {"f": low}, "--fail-on=0")
        # Slower, but it may be chance.
        self.compare({"f": low[:2]}, {"f": high[:2]}, "--fail-on=5")
        self.compare({"f": low}, {"f": high}, "--fail-on=x", code=2)

    def test_of_one_run(self):
        """What bench has written is read."""
        self.write("gemm.dsl", PRODUCT)
        self.cetane("bench", "gemm.dsl", "--device=host", "--repeat=3", *GIVEN,
                    "-o", "rows.json")
        out, _ = self.cetane("benchcmp", "rows.json", "rows.json")
        self.assertRegex(out, rb"own gemm .*\+0\.00%.* 1  no difference")

    def test_rows_and_devices_that_differ(self):
        text = self.compare({"f": [1], "g": [1]}, {"f": [1], "h": [1]},
                            more=("one", "other"))
        self.assertIn("the devices differ: one, and other", text)
        self.assertIn("1 rows of a.json are not in the other file", text)
        self.compare({"f": [1]}, {"g": [1]}, code=1, says="no row with samples")
        self.compare({"f": []}, {"f": [1]}, code=1, says="no row with samples")

    def test_files_that_are_no_results(self):
        good = results({"f": [1]})
        self.compare(good, good)
        deep = "[" * 100000 + "]" * 100000
        for text in ("", "{", "[1,]", "{\"rows\": [}", good + "x", good[:-1],
                     good.replace("[1]", "[+1]"), good.replace("[1]", "[1 2]"),
                     good.replace("own", "o\nn"), good.replace("own", "\\q"),
                     good.replace("own", "\\u12g4"), deep, "nul", "\"",
                     good.replace(":", "", 1), "\0"):
            self.compare(text, good, code=1, says="error[E729]")
        for text in ("1", "[]", "{}", "{\"rows\": []}", "null", "true",
                     "{\"device\": 3, \"rows\": []}",
                     "{\"device\": \"d\", \"rows\": {}}"):
            self.compare(text, good, code=1, says="no rows of cetane bench")
        self.compare(good.replace("own", "\\u006f\\u0077\\u006e"), good)
        self.compare(good.replace('"d"', '"\\ud83d\\ude00\\n\\ud800"'), good)

    def test_usage(self):
        self.cetane("benchcmp", code=2)
        self.write("a.json", results({"f": [1]}))
        self.cetane("benchcmp", "a.json", code=2, says="two files")
        self.cetane("benchcmp", *["a.json"] * 3, code=2, says="two files")
        self.cetane("benchcmp", "a.json", "absent", code=1, says="error[E551]")


if __name__ == "__main__":
    command.main()
