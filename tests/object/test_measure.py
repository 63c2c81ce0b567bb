"""--measure-error: the largest errors of outputs, against NumPy in f64.

The inputs are made here as runtime/README.md says, the outputs are those of cetane run on
them, and what they should be NumPy computes.
"""
import json
import os
import sys
import unittest

import numpy as np

SOURCE = os.environ.get("CETANE_SOURCE", os.path.abspath("."))
sys.path.insert(0, os.path.join(SOURCE, "tests", "tools"))
import command  # noqa: E402

TYPE = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i32": np.int32}


def mixed(at):
    at = np.asarray(at, np.uint64) * np.uint64(0x9e3779b97f4a7c15)
    for _ in range(2):
        at = (at ^ at >> np.uint64(32)) * np.uint64(0xd6e8feb86659fd93)
    return at ^ at >> np.uint64(32)


def made_up(number, name, shape):
    """The input that is the array "number" of a program."""
    n = int(np.prod(shape))
    with np.errstate(over="ignore"):
        bits = mixed(mixed(number + 1) + np.arange(n, dtype=np.uint64))
    if name == "i32":
        x = (bits % np.uint64(9)).astype(np.int64) - 4
    else:
        x = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1
    return x.astype(TYPE[name]).reshape(shape)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# Text, sizes, inputs with type and shape, and each output from these in f64.
PROGRAMS = {
    "product": ("Params M, K, N;\nMatrix A(M,K);\nMatrix B(K,N);\nC = A * B;\n"
                "CodeGen(FLOAT, {C});\n", "M=37,K=29,N=43",
                {"A": ("f32", (37, 29)), "B": ("f32", (29, 43))},
                {"C": lambda A, B: A @ B}),
    "half": ("Params M, K, N;\nMatrix A(M,K);\nMatrix B(K,N);\nC = A * B;\n"
             "CodeGen(HALF, {C});\n", "M=64,K=64,N=64",
             {"A": ("f16", (64, 64)), "B": ("f16", (64, 64))},
             {"C": lambda A, B: A @ B}),
    "softmax": ("param N, M;\ntensor f32 x(N,M);\nm(i) max= x(i,j);\n"
                "s(i) += exp(x(i,j) - m(i));\n"
                "out y(i,j) = exp(x(i,j) - m(i)) / s(i);\n", "N=31,M=65",
                {"x": ("f32", (31, 65))}, {"y": softmax}),
    "thirds": ("param N;\ntensor f32 x(N);\ntensor f64 w(N);\n"
               "out z(i) = x(i) / 3.0;\nout v(i) = w(i) * 0.1 + w(0);\n",
               "N=100", {"x": ("f32", (100,)), "w": ("f64", (100,))},
               {"z": lambda x, w: x / 3,
                "v": lambda x, w: (w.astype(np.longdouble)
                                   * np.longdouble(0.1) + w[0])}),
    "exact": ("param N;\ntensor i32 k(N);\ntensor f32 x(N);\n"
              "out c(i) = k(i) * 7 - 3;\nout d(i) = max(x(i), 0);\n", "N=77",
              {"k": ("i32", (77,)), "x": ("f32", (77,))},
              {"c": lambda k, x: k * 7 - 3, "d": lambda k, x: np.maximum(x, 0)}),
}
ARCH = "--arch=sm_80"
# Sizes of the product for which to measure is little work.
FEW = ["-DM=37", "-DK=29", "-DN=43"]


class Measure(command.Case):
    def build(self, name, text, *args, **more):
        self.write(name + ".dsl", text)
        return self.cetane("build", name + ".dsl", "--emit=object", ARCH, *args,
                           **more)

    def told(self, name):
        found = json.loads(self.read(name + ".json"))
        return {a["name"]: a["measured"] for a in found["arrays"]
                if "measured" in a}

    def largest(self, name, turn):
        """Of each output, the error and the magnitude that NumPy finds: for the
        schedule of the GPU, and for that of the host.
        """
        text, sizes, inputs, outputs = PROGRAMS[name]
        arrays = list(inputs) + list(outputs)
        data = {k: made_up(arrays.index(k) + turn * len(arrays), *v)
                for k, v in inputs.items()}
        wide = {k: v.astype(np.int64 if v.dtype == np.int32 else np.float64)
                for k, v in data.items()}
        give = []
        for k, v in data.items():
            np.save(self.path(k + ".npy"), v)
            give += ["-i", f"{k}={k}.npy"]
        defines = [f"-D{d}" for d in sizes.split(",")]
        found = {}
        for arch in [ARCH], []:
            self.cetane("run", name + ".dsl", *defines, *arch, *give,
                        *(f"-o{k}={k}.out.npy" for k in outputs))
            for k, f in outputs.items():
                want = f(**wide)
                is_ = np.load(self.path(k + ".out.npy")).astype(want.dtype)
                one = float(np.abs(is_ - want).max()), float(np.abs(want).max())
                found[k] = tuple(map(max, one, found.get(k, (0, 0))))
        return found

    def test_against_numpy(self):
        for name, (text, sizes, _, outputs) in PROGRAMS.items():
            defines = [f"-D{d}" for d in sizes.split(",")]
            for turns in (1, 2) if name == "product" else (1,):
                with self.subTest(name, turns=turns):
                    self.build(name, text, *defines, f"--measure-error={turns}")
                    told = self.told(name)
                    self.assertEqual(set(told), set(outputs))
                    each = [self.largest(name, t) for t in range(turns)]
                    for k in outputs:
                        error = max(e[k][0] for e in each)
                        size = max(e[k][1] for e in each)
                        # the compiler has what is right in f64, too
                        self.assertLess(abs(told[k]["error"] - error), 1e-4
                                        * error + 1.2e-16 * size, (k, error))
                        self.assertLess(abs(told[k]["largest"] - size),
                                        1e-2 * size)
                        self.assertLessEqual(told[k]["of_bound"], 1)
                        self.assertEqual(told[k]["of_bound"] > 0, error > 0)

    def test_elements(self):
        """All elements for each input and schedule, if that is little work; sizes
        that are open are two cases.
        """
        text = PROGRAMS["thirds"][0]
        self.build("thirds", text, "-DN=100", "--measure-error=3")
        self.assertEqual(self.told("thirds")["z"]["elements"], 3 * 2 * 100)
        self.build("thirds", text, "--measure-error=1")
        self.assertEqual(self.told("thirds")["z"]["elements"], 2 * (37 + 256))
        self.build("product", PROGRAMS["product"][0], "-DM=160", "-DK=1600",
                   "-DN=160", "--measure-error=1")
        self.assertIn(self.told("product")["C"]["elements"],
                      range(1000, 2 * 160 * 160))

    def test_inspect_and_bytes(self):
        text = PROGRAMS["product"][0]
        self.build("product", text, *FEW, "--measure-error=1")
        error = self.told("product")["C"]["error"]
        before = [self.read("product" + e) for e in (".o", ".json")]
        said = self.cetane("inspect", "product.o")[0].decode()
        self.assertIn(f"  C: largest error measured {error:.3g}, ", said)
        self.build("product", text, *FEW, "--measure-error=1",
                   "--verify-reproducible")
        self.assertEqual(before,
                         [self.read("product" + e) for e in (".o", ".json")])
        self.build("product", text, *FEW)
        self.assertEqual(self.told("product"), {})
        self.assertNotIn("measured",
                         self.cetane("inspect", "product.o")[0].decode())

    def test_stale(self):
        """What is told is of the code that it stands beside: with one byte of that
        changed, inspect tells nothing.
        """
        self.build("product", PROGRAMS["product"][0], *FEW, "--measure-error=1")
        whole = self.read("product.o")
        at = whole.index(b".target sm_80")
        self.write("other.o", whole[:at] + b".target sm_81" + whole[at + 13:])
        said = self.cetane("inspect", "other.o")[0].decode()
        self.assertIn("program product", said)
        self.assertNotIn("measured", said)

    def test_notations(self):
        """Rows with a pitch, positions, C, and an array that is changed."""
        self.build("pitched", PROGRAMS["product"][0], *FEW, "--pitched",
                   "--measure-error=1")
        self.assertEqual(set(self.told("pitched")), {"C"})
        self.build("gather", "param N, M;\ntensor f32 t(N);\ntensor i32 p(M);\n"
                   "out g(i) = t(p(i)) / 3.0;\n", "--measure-error=1")
        self.assertGreater(self.told("gather")["g"]["error"], 0)
        self.write("nest.c", "void nest(int n, float a[n][n], float b[n])\n{\n"
                   "\tfor (int i = 0; i < n; i++)\n"
                   "\t\tfor (int j = 0; j < n; j++)\n"
                   "\t\t\tb[i] += a[i][j] * 0.3f;\n}\n")
        self.cetane("build", "nest.c", "--emit=object", ARCH,
                    "--measure-error=1")
        self.assertGreater(self.told("nest")["b"]["error"], 0)
        self.assertGreater(self.told("nest")["b"]["elements"], 37)

    def test_refused(self):
        self.write("f.dsl", PROGRAMS["product"][0])
        self.cetane("build", "f.dsl", "--measure-error=1", code=2,
                    says="--measure-error needs")
        self.cetane("build", "f.dsl", "--emit=object", "--measure-error=x",
                    code=2)
        self.build("large", "tensor f32 x(100000);\n"
                   "out z(i, j) = x(i) + x(j);\n", "--measure-error=1", code=1,
                   says="E736")


if __name__ == "__main__":
    unittest.main()
