#!/usr/bin/env python3
"""The suite "rows": programs of ours against PyTorch's, and against the roofline.

usage: bench.py build CETANE FOLDER [CHOICE] [--arch=NAME] [--jobs=N]
       bench.py run FOLDER [CHOICE] [--resume=FILE.tsv] [--seconds=S] [--repeat=N]
                    [--seed=N] [--against=FOLDER] [--no-rivals] [--jobs=N]

"build" compiles the programs of table.py with the command CETANE; it needs a C
compiler and no GPU. "run" needs a GPU and torch. CHOICE is --only=REGEX, of names
such as softmax/bf16, and --shapes=0,2, which of a program's sizes; or
--random=SEED:COUNT, that many random row programs (tests/fuzz/row_programs.py), or
--mixed=SEED:COUNT, of many statements (tests/fuzz/mixed_programs.py).

A rival is a function of PyTorch, as it is ("eager") and compiled ("compile"); the
row is against the fastest. The protocol is that of "cetane bench", and so are the
first columns: the same inputs for all sides, outputs filled with NaN and verified
against f64 before anything is timed and again behind it, CUDA graphs of several
launches on all sides, rounds in shuffled order until the ratio to the fastest
rival is known to half a percent, and arrays of a round three times as large as the
cache. The roofline reads each input and writes each output once, at the rate of a
copy in the same run. Rivals are compiled beforehand, --jobs processes at a time.
--seconds (480) starts no further row after that time; --resume appends to a file,
and skips rows that are there. --against measures what another build has compiled in
the place of rivals, the median of three times; a program that is the same there is
not run. Without rivals a row is against the copy.
"""
import argparse
import concurrent.futures
import json
import math
import os
import random
import re
import subprocess
import sys
import time

import backends
import program
import table
import wanted

COLUMNS = ("suite form size type base state base_ms ours_ms ratio spread "
           "rounds calls work bytes ours_tflops base_tflops ours_gbs roof "
           "error kernels registers shared local occupancy image end_ms mhz "
           "watt throttle").split()
MORE = "family copy_gbs workspace sides".split()
ROUND_MS, ROUNDS_LEAST, ROUNDS_MOST, SPREAD_ENOUGH = 3.0, 7, 25, 0.005
CALLS_MOST, SETS_MOST = 4096, 64
RIVAL_ALLOWED = 8   # times the error that ours may have
POINTS = 1 << 25    # of a random program
MIXED_POINTS = 1 << 22      # of each value of one of many statements
LOW_ROOF = .6       # random programs below it are told
WARM_SHARE = .4     # of the seconds, for the compilation of rivals


# ------------------------------------------------------------- statistics

def median(values):
    s = sorted(values)
    n = len(s)
    return s[n // 2] if n % 2 else (s[n // 2 - 1] + s[n // 2]) / 2


def ratio(a, b):
    """The median of a / b, and half the width of its 95 % interval as a part
    of it; as tool_bench_ratio computes them.
    """
    r = sorted(x / y for x, y in zip(a, b))
    n = len(r)
    low = max(0, math.floor((n - 1.96 * math.sqrt(n)) / 2))
    middle = median(r)
    return middle, (r[n - 1 - low] - r[low]) / 2 / middle


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


# ----------------------------------------------------------------- choice

def chosen(args):
    """The rows that the options choose."""
    for wanted, kind, points in ((args.random, program.Random, POINTS),
                                 (args.mixed, program.Mixed, MIXED_POINTS)):
        if wanted:
            seed, count = map(int, wanted.split(":"))
            return [kind(s, points) for s in range(seed, seed + count)]
    shapes = [int(n) for n in args.shapes.split(",")] if args.shapes else None
    found = []
    for name, row in table.ROWS.items():
        for i, (kind, *values) in enumerate(row.sizes):
            if (shapes is None or i in shapes) and (
                    not args.only or
                    re.search(args.only, "%s/%s" % (name, kind))):
                found.append(program.Case(name, kind, values))
    return found


def build(cetane, folder, cases, jobs, options=()):
    """Make all cases; those that are refused are told. True if none is."""
    program.make_runtime(cetane, folder)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        said = list(pool.map(
            lambda c: program.make(cetane, folder, c, options), cases))
    for case, text in zip(cases, said):
        if text:
            print("%s: refused\n%s" % (case, text), end="", flush=True)
    return not any(said)


# ------------------------------------------------------------------ sides

class Ours:
    """A program of ours on tensors."""
    in_graph = True

    def __init__(self, torch, folder, case):
        self.torch, self.program = torch, program.Program(folder, case)
        self.program.load()
        self.work = torch.empty(max(1, self.program.workspace),
                                dtype=torch.uint8, device="cuda")

    def make_outputs(self, sets):
        types = backends.Torch(self.torch, "cuda").types
        self.outs = [[self.torch.empty(a.shape, dtype=types[a.type],
                                       device="cuda")
                      for a in self.program.outputs] for _ in range(sets)]

    def poison(self):
        for out in self.outs[0]:
            out.view(-1).view(self.torch.uint8).fill_(255)

    def call(self, inputs, i):
        stream = self.torch.cuda.current_stream().cuda_stream
        at = [t.data_ptr() for t in inputs[i] + self.outs[i]]
        self.program.call(stream, at, self.work.data_ptr())

    def results(self):
        return self.outs[0]

    def close(self):
        self.program.unload()


class Theirs:
    """A function of PyTorch, as it is or compiled."""
    in_graph = True

    def __init__(self, torch, case, function, is_compiled, sets):
        more = case.values if case.row.sized else []

        def plain(*inputs):
            return function(torch, *inputs, *more)
        self.function = torch.compile(plain, dynamic=False) if is_compiled \
            else plain
        self.outs = [None] * sets

    def call(self, inputs, i):
        self.outs[i] = self.function(*inputs[i])

    def results(self):
        out = self.outs[0]
        return list(out) if isinstance(out, tuple) else [out]

    def close(self):
        self.function = self.outs = None


class Copy:
    """A copy of memory that moves as many bytes. In a graph the driver makes
    copies in a slower way than on a stream.
    """
    in_graph = False

    def __init__(self, torch, size, sets):
        self.parts = [[torch.empty(size // 2 or 1, dtype=torch.uint8,
                                   device="cuda") for _ in range(2)]
                      for _ in range(sets)]

    def call(self, inputs, i):
        to, origin = self.parts[i]
        to.copy_(origin)


def rivals_of(case):
    """(name, function, is it compiled) of each."""
    several = len(case.row.rivals) > 1
    return [(word + ("-%d" % k if several else ""), f, word == "compile")
            for k, f in enumerate(case.row.rivals)
            for word in ("eager", "compile")]


# ----------------------------------------------------------------- timing

class Launches:
    """What a graph would replay, launched one by one."""

    def __init__(self, launch, calls):
        self.launch, self.calls = launch, calls

    def replay(self):
        for i in range(self.calls):
            self.launch(i)


def capture(torch, launch, calls):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(calls):
            launch(i)
    return graph


def replay(torch, graph, calls):
    start = torch.cuda.Event(enable_timing=True)
    stop = torch.cuda.Event(enable_timing=True)
    start.record()
    graph.replay()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) / calls


def prepare(torch, side, inputs):
    """A graph whose replay takes a round, and its number of launches."""
    sets = len(inputs)

    def launch(i):
        side.call(inputs, i % sets)

    def make(calls):
        return capture(torch, launch, calls) if side.in_graph else \
            Launches(launch, calls)
    graph = make(sets)
    replay(torch, graph, sets)
    ms = replay(torch, graph, sets)
    calls = sets * max(1, min(CALLS_MOST // sets,
                              math.ceil(ROUND_MS / ms / sets)))
    return make(calls), calls


def fastest(times):
    """The number of the side other than ours that takes least, or 0."""
    return min(range(1, len(times)), key=lambda k: median(times[k]),
               default=0)


def is_settled(times):
    k = fastest(times)
    return ratio(times[k], times[0])[1] <= SPREAD_ENOUGH if k else False


def time_sides(torch, sides, inputs, repeat, seed):
    """Times of each side in each round, and the launches of ours."""
    graphs = [prepare(torch, side, inputs) for side in sides]
    times = [[] for _ in sides]
    order = list(range(len(sides)))
    shuffler = random.Random(seed)
    while len(times[0]) < repeat:
        if len(times[0]) >= min(ROUNDS_LEAST, repeat) and is_settled(times):
            break
        shuffler.shuffle(order)
        for k in order:
            times[k].append(replay(torch, *graphs[k]))
    return times, graphs[0][1]


def copy_rate(torch):
    """GB/s that a copy of many times the cache reads and writes."""
    size = 8 * torch.cuda.get_device_properties(0).L2_cache_size
    side = Copy(torch, 2 * size, 1)
    launches = Launches(lambda i: side.call(None, 0), 4)
    return 2e-6 * size / min(replay(torch, launches, 4) for _ in range(8))


# ------------------------------------------------------------------ a row

class Run:
    """What all rows have in common."""

    def __init__(self, args, torch):
        self.args, self.torch = args, torch
        self.np = backends.Torch(torch, "cuda", args.seed)
        self.rate = copy_rate(torch)
        self.cache = torch.cuda.get_device_properties(0).L2_cache_size

    def inputs(self, ours, case):
        return [self.np.input(a, case.row.data.get(a.name),
                              ours.program.arrays)
                for a in ours.program.inputs]

    def errors(self, side, expected, arrays):
        """The largest error of a side, as a part of what is allowed."""
        return max(expected.errors(arrays, [
            self.np.wide(got, a.type)
            for a, got in zip(arrays, side.results())]))

    def candidates(self, case, other, sets):
        """Name and side of each rival."""
        if other:
            other.make_outputs(sets)
            return [("against", other)]
        if self.args.no_rivals:
            return []
        return [(name, Theirs(self.torch, case, function, compiled, sets))
                for name, function, compiled in rivals_of(case)]

    def rivals(self, ours, case, other, inputs, expected):
        """Those that compute what they should."""
        good = []
        for name, side in self.candidates(case, other, len(inputs)):
            try:
                side.call(inputs, 0)
                error = self.errors(side, expected, ours.program.outputs)
            except Exception as why:
                print("# %s: %s fails: %s" % (
                    case, name, str(why).strip().split("\n")[0]),
                    file=sys.stderr)
                continue
            if error <= RIVAL_ALLOWED:
                good.append((name, side))
            else:
                print("# %s: %s is off by %g of what is allowed" % (
                    case, name, error), file=sys.stderr)
        return good

    def row(self, case):
        """The columns of a row."""
        self.torch._dynamo.reset()
        row = dict.fromkeys(COLUMNS + MORE, 0)
        row.update(suite="rows", form=case.name, type=case.kind,
                   size="x".join(map(str, case.values)), base="none",
                   state="failed", family=case.row.family, image="cubin",
                   copy_gbs=self.rate, sides="")
        ours, other = Ours(self.torch, self.args.folder, case), None
        p = ours.program
        if self.args.against:
            other = Ours(self.torch, self.args.against, case)
            if other.program.image == p.image:
                row.update(base="against", state="same")
                ours.close()
                other.close()
                return row
        read = case.row.read(*case.values) if case.row.read else 1
        row["bytes"] = sum(a.bytes * (read if a.is_input else 1)
                           for a in p.arrays)
        row["workspace"] = p.workspace
        self.usage(row, p.image)
        sets = int(min(SETS_MOST, 3 * self.cache // row["bytes"] + 2))
        inputs = [self.inputs(ours, case) for _ in range(sets)]
        ours.make_outputs(sets)
        expected = wanted.Wanted(self.np, case, [
            self.np.wide(x, a.type) for x, a in zip(inputs[0], p.inputs)])
        ours.poison()
        ours.call(inputs, 0)
        if self.judge(row, ours, expected):
            rivals = self.rivals(ours, case, other, inputs, expected)
            self.measure(row, ours, rivals, inputs)
            self.judge(row, ours, expected)
        for side in (ours, other):
            if side:
                side.close()
        return row

    def usage(self, row, image):
        kernels = image["kernels"]
        row["kernels"] = len(kernels)
        for column, word in (("registers", "registers"),
                             ("shared", "dynamic_shared_bytes"),
                             ("local", "stack_bytes")):
            row[column] = max((k.get(word, 0) for k in kernels), default=0)

    def judge(self, row, ours, expected):
        self.torch.cuda.synchronize()
        row["error"] = max(row["error"], self.errors(ours, expected,
                                                     ours.program.outputs))
        row["state"] = "verified" if row["error"] <= 1 else "wrong"
        return row["error"] <= 1

    def times(self, sides, inputs):
        """Times of the sides and our launches. Against another build this is
        done three times, and the one with the median of the ratios counts.
        """
        found = [time_sides(self.torch, sides, inputs, self.args.repeat,
                            self.args.seed + i)
                 for i in range(3 if self.args.against else 1)]
        found.sort(key=lambda one: ratio(one[0][1], one[0][0])[0])
        return found[len(found) // 2]

    def measure(self, row, ours, rivals, inputs):
        names, sides = zip(("ours", ours), *(rivals or [("copy", Copy(
            self.torch, int(row["bytes"]), len(inputs)))]))
        ours.poison()
        times, row["calls"] = self.times(sides, inputs)
        k = fastest(times)
        row["base"] = names[k]
        row["ours_ms"], row["base_ms"] = median(times[0]), median(times[k])
        row["ratio"], row["spread"] = ratio(times[k], times[0])
        row["rounds"] = len(times[0])
        row["ours_gbs"] = row["bytes"] / row["ours_ms"] * 1e-6
        row["roof"] = row["ours_gbs"] / self.rate
        row["sides"] = ",".join("%s=%.6g" % (name, median(t))
                                for name, t in zip(names, times))


# -------------------------------------------------------------- all rows

def warm(args):
    """Compile the rivals of every so many rows, for the caches alone."""
    import torch
    mine, of = map(int, args.slice.split("/"))
    types = backends.Torch(torch, "cuda").types
    for case in chosen(args)[mine::of]:
        torch._dynamo.reset()
        try:
            arrays = program.Program(args.folder, case).inputs
            inputs = [[torch.zeros(a.shape, dtype=types[a.type],
                                   device="cuda") for a in arrays]]
            for _, function, compiled in rivals_of(case):
                if compiled:
                    Theirs(torch, case, function, True, 1).call(inputs, 0)
        except Exception as why:
            print("# %s: %s" % (case, str(why).split("\n")[0]),
                  file=sys.stderr)
        torch.cuda.empty_cache()
    return 0


def use_caches(folder):
    """Where what is compiled is found again, by all processes."""
    for name, value in (("TORCHINDUCTOR_CACHE_DIR", "inductor"),
                        ("TRITON_CACHE_DIR", "triton")):
        os.environ.setdefault(name, os.path.join(os.path.abspath(folder),
                                                 value))
    for name in "TORCHINDUCTOR_FX_GRAPH_CACHE", \
            "TORCHINDUCTOR_AUTOGRAD_CACHE":
        os.environ.setdefault(name, "1")


def warm_all(args):
    """Compile all rivals, several processes at a time, for a part of the
    time.
    """
    words = [sys.executable, "-B", os.path.abspath(__file__), "warm",
             args.folder] + ["--%s=%s" % (name, value) for name, value in (
                 ("only", args.only), ("shapes", args.shapes),
                 ("random", args.random), ("mixed", args.mixed)) if value]
    env = dict(os.environ, TORCHINDUCTOR_COMPILE_THREADS="1")
    children = [subprocess.Popen(words + ["--slice=%d/%d" % (i, args.jobs)],
                                 env=env) for i in range(args.jobs)]
    end = time.monotonic() + WARM_SHARE * args.seconds
    for child in children:
        try:
            child.wait(max(0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def shown(value):
    return "%.6g" % value if isinstance(value, float) else str(value)


def read_rows(path):
    """The rows of a file, with text for columns."""
    if not path or not os.path.exists(path):
        return []
    with open(path) as f:
        lines = [line.rstrip("\n").split("\t") for line in f
                 if not line.startswith("#")]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def line_of(family, rows):
    """What became of the rows of a family, and its ratios to the fastest rival
    and to the roofline.
    """
    good = [r for r in rows if r["state"] == "verified"]
    if not good:
        return "# %s: none of %d rows verified, %d the same" % (
            family, len(rows), sum(r["state"] == "same" for r in rows))
    ratios = [float(r["ratio"]) for r in good]
    least = min(good, key=lambda r: float(r["ratio"]))
    return ("# %s: %d of %d verified; ratio %.3f, least %.3f (%s %s %s), %d "
            "from 1 on; of the roofline %.3f; one kernel without workspace: "
            "%d" % (
                family, len(good), len(rows), geometric_mean(ratios),
                min(ratios), least["form"], least["type"], least["size"],
                sum(r >= 1 for r in ratios),
                geometric_mean([float(r["roof"]) for r in good]),
                sum(int(r["kernels"]) == 1 and int(r["workspace"]) == 0
                    for r in good)))


def summary(rows):
    """A line for each family, and for random rows far below the roofline."""
    families = list(dict.fromkeys(r["family"] for r in rows))
    lines = [line_of(f, [r for r in rows if r["family"] == f])
             for f in families]
    if len(families) > 1:
        lines.append(line_of("all", rows))
    return lines + ["# %s %s: %.2f of the roofline" % (
        r["form"], r["size"], float(r["roof"])) for r in rows
        if r["family"] == "random" and r["state"] == "verified" and
        float(r["roof"]) < LOW_ROOF]


def key(row):
    return row["form"], row["type"], row["size"]


def run(args):
    began = time.monotonic()
    use_caches(args.folder)
    if not args.against and not args.no_rivals:
        warm_all(args)
    import torch
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    rows = read_rows(args.resume)
    done = {key(row) for row in rows}
    out = open(args.resume, "a") if args.resume else sys.stdout
    r = Run(args, torch)
    if not done:
        print("# torch %s, %s, copy %.0f GB/s, seed %d" % (
            torch.__version__, torch.cuda.get_device_name(0), r.rate,
            args.seed), file=out)
        print("\t".join(COLUMNS + MORE), file=out, flush=True)
    left = 0
    for case in chosen(args):
        size = "x".join(map(str, case.values))
        if (case.name, case.kind, size) in done:
            continue
        if time.monotonic() - began > args.seconds:
            left += 1
            continue
        try:
            row = r.row(case)
        except (OSError, RuntimeError) as why:
            print("# %s: %s" % (case, why), file=sys.stderr)
            row = dict.fromkeys(COLUMNS + MORE, 0)
            row.update(form=case.name, type=case.kind, size=size,
                       family=case.row.family, state="failed")
        rows.append(row)
        print("\t".join(shown(row[c]) for c in COLUMNS + MORE), file=out,
              flush=True)
        torch.cuda.empty_cache()
    print("\n".join(summary(rows)))
    if left:
        print("# time was up: %d rows are left" % left)
    return 5 if any(r["state"] not in ("verified", "same") for r in rows) else \
        4 if left else 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in "build", "run", "warm":
        v = verbs.add_parser(verb)
        if verb == "build":
            v.add_argument("cetane")
        v.add_argument("folder")
        v.add_argument("--only")
        v.add_argument("--shapes")
        v.add_argument("--seed", type=int, default=1)
        v.add_argument("--jobs", type=int,
                       default=len(os.sched_getaffinity(0)))
        v.add_argument("--arch", default="sm_90a")
        v.add_argument("--slice", default="0/1")
        v.add_argument("--random")
        v.add_argument("--mixed")
        v.add_argument("--no-rivals", action="store_true")
        v.add_argument("--resume")
        v.add_argument("--against")
        v.add_argument("--seconds", type=float, default=480)
        v.add_argument("--repeat", type=int, default=ROUNDS_MOST)
    return parser.parse_args()


def main():
    args = parse()
    if args.verb == "build":
        return 0 if build(os.path.abspath(args.cetane), args.folder,
                          chosen(args), args.jobs,
                          ["--arch=" + args.arch]) else 1
    return {"run": run, "warm": warm}[args.verb](args)


if __name__ == "__main__":
    sys.exit(main())
