"""Requests for memory are refused, in the parent and in the worker of ten
builds. The exit code says so, or the build does without and is right; no signal
reaches the caller, and outputs are whole and new, or as they were.
"""
import os
import random

import command
import damage

# Samples of requests in one process of one command, beside the first ones.
SAMPLES = int(os.environ.get("CETANE_TEST_SAMPLES", "6"))
FIRST = 3

CHAIN = """Params M, K, N;
Matrix X(M,K);
Matrix Y(K,N);
Matrix Z(N,K);
T = X * Y;
U = tanh(T * Z);
CodeGen(HALF, {U});
"""
BUILDS = [
    ["build", "fig2.dsl", "--emit=dag,deps", "-o", "x"],
    ["build", "fig2.dsl", "--emit=poly,ast,schedule", "-o", "x"],
    ["build", "fig2.dsl", "--emit=llvm,ptx", "-o", "x"],
    ["build", "fig2.dsl", "--map=naive", "--emit=ptx,dag", "-o", "x"],
    ["build", "scale.dsl", "--emit=ptx,poly", "-o", "x", "-DN=32"],
    ["build", "scale.dsl", "--emit=llvm-opt", "-o", "x", "--arch=sm_80"],
    ["build", "chain.dsl", "--emit=ptx,llvm", "-o", "x"],
    ["build", "chain.dsl", "--emit=poly,dag", "-o", "x", "-DK=64"],
    ["build", "scale.dsl", "--emit=object", "-o", "x.o", "--arch=sm_80"],
    ["run", "scale.dsl", "-DN=6", "-oY=x.npy"],
]


class NoMemory(damage.Case):
    runs = 0

    def setUp(self):
        super().setUp()
        self.write("chain.dsl", CHAIN)
        self.inputs = self.files()

    def one(self, args, where, n):
        what = f"{args} {where}:malloc:{n}"
        code, err = self.damaged(args, f"{where}:malloc:{n}:12")
        new = self.check_whole(args, what)
        self.assertIn(code, [0, 3, 4, 70], what + err)
        if code:
            self.assertEqual(new, 0, what)
            self.assertIn("error[E", err, what)
        else:
            self.assertEqual(new, len(self.good(args)), what + err)
        self.assertEqual(self.hidden(), {}, what)
        NoMemory.runs += 1

    def sweep(self, args, seed):
        draw = random.Random(seed)
        counts = self.counts(args)
        for where in ["parent", "worker"]:
            most = counts[where, "malloc"]
            for n in range(1, FIRST + 1):
                self.one(args, where, n)
            for _ in range(SAMPLES):
                once = draw.randint(FIRST, most)
                self.one(args, where, str(once))
                self.one(args, where, f"{draw.randint(1, most)}+")

    def test_builds(self):
        self.assertEqual(len(BUILDS), 10)
        for i, args in enumerate(BUILDS):
            if "--emit=object" in args and not command.PTXAS:
                continue
            with self.subTest(args=args):
                self.sweep(args, i)

    def test_texts(self):
        """Copies of texts, of which isl does not say that they failed."""
        args = ["build", "scale.dsl", "--emit=poly,schedule", "-o", "x"]
        most = self.counts(args)["worker", "strdup"]
        for n in range(most - most // 4, most + 1, max(1, most // 80)):
            what = f"strdup {n}"
            code, err = self.damaged(args, f"worker:strdup:{n}:12")
            new = self.check_whole(args, what)
            self.assertEqual(new, 0 if code else 2, what + err)

    def test_z_enough(self):
        print(NoMemory.runs, "runs")
        self.assertGreaterEqual(NoMemory.runs, 9 * 2 * (FIRST + SAMPLES))


if __name__ == "__main__":
    command.main()
