#!/usr/bin/env python3
"""Measure compiled programs against compositions of PyTorch's operations.

usage: bench_torch.py build CETANE RUNTIME FOLDER
       bench_torch.py run FOLDER [--output FILE.tsv] [--only NAME,...]
                      [--repeat N] [--seed N]

For baselines that have no C function of their own; "cetane bench" measures
those that do. "build" writes the programs of ROWS to FOLDER, compiles them
with the command CETANE and links each with the library RUNTIME
(libcetane_rt.a); it needs a C compiler and no GPU. "run" needs a GPU and
torch. The protocol is that of "cetane bench", and so are the columns: the
same inputs for both sides, outputs filled with NaN and verified against f64
before anything is timed, CUDA graphs of several launches on both sides,
rounds in shuffled order until the ratio is known to half a percent, the
arrays of a round three times as large as the cache.
"""
import argparse
import ctypes
import json
import math
import os
import random
import subprocess
import sys

COLUMNS = ("suite form size type base state base_ms ours_ms ratio spread "
           "rounds calls work bytes ours_tflops base_tflops ours_gbs roof "
           "error kernels registers shared local occupancy image end_ms mhz "
           "watt throttle").split()
ROUND_MS, ROUNDS_LEAST, ROUNDS_MOST, SPREAD_ENOUGH = 3.0, 7, 25, 0.005
CALLS_MOST, SETS_MOST = 4096, 64

# Name: program, sizes, and what torch computes from the inputs. The last
# number is the error allowed, as a part of the largest element.
ROWS = {
    "softmax": ("""param M, N;
tensor f32 X(M,N);
top(i) max= X(i,j);
e(i,j) = exp(X(i,j) - top(i));
all(i) += e(i,j);
out Y(i,j) = e(i,j) / all(i);
""", {"M": 16384, "N": 4096},
        lambda torch, x: torch.softmax(x, 1), 1e-5),
    "layer-norm": ("""param M, N;
tensor f32 X(M,N), g(N), b(N);
mean(i) = sum(j: X(i,j)) / f32(N);
var(i) = sum(j: (X(i,j) - mean(i)) * (X(i,j) - mean(i))) / f32(N);
out Y(i,j) = (X(i,j) - mean(i)) / sqrt(var(i) + 0.00001) * g(j) + b(j);
""", {"M": 16384, "N": 4096},
        lambda torch, x, g, b: torch.nn.functional.layer_norm(
            x, (x.shape[1],), g, b, 1e-5), 1e-5),
    "bias-sigmoid-gate": ("""param M, N;
tensor f32 X(M,N), Z(M,N), b(N);
out Y(i,j) = Z(i,j) * sigmoid(X(i,j) + b(j));
""", {"M": 16384, "N": 8192},
        lambda torch, x, z, b: z * torch.sigmoid(x + b), 1e-5),
    "gemm-gate": ("""param M, N, K;
tensor f32 A(M,K), B(K,N), Z(M,N), b(N);
out Y(i,j) = Z(i,j) * tanh(sum(k: A(i,k) * B(k,j)) + b(j));
""", {"M": 4096, "N": 4096, "K": 1024},
        lambda torch, a, b, z, c: z * torch.tanh(torch.addmm(c, a, b)),
        2e-5),
    "min-plus": ("""param M, N, K;
tensor f32 A(M,K), B(K,N);
out C(i,j) min= A(i,k) + B(k,j);
""", {"M": 512, "N": 512, "K": 512},
        lambda torch, a, b: (a[:, :, None] + b[None, :, :]).amin(1), 1e-6),
    "conv-3x3": ("""param H, W;
tensor f32 X(H,W), F(3,3);
out Y(i,j) for 0 <= i < H-2, 0 <= j < W-2 =
	sum(p, q for 0 <= p < 3, 0 <= q < 3: X(i+p,j+q) * F(p,q));
""", {"H": 8194, "W": 8194},
        lambda torch, x, f: torch.nn.functional.conv2d(
            x[None, None], f[None, None])[0, 0], 1e-5),
}


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


# --------------------------------------------------------------- building

def symbol(name):
    return "row_" + name.replace("-", "_")


def build(cetane, runtime, folder):
    os.makedirs(folder, exist_ok=True)
    for name, (text, sizes, _, _) in ROWS.items():
        stem = os.path.join(folder, symbol(name))
        with open(stem + ".dsl", "w") as f:
            f.write(text)
        defines = ["-D%s=%d" % item for item in sizes.items()]
        subprocess.run([cetane, "build", stem + ".dsl", "--emit=object",
                        "--arch=sm_90a", "-o", stem + ".o", *defines],
                       check=True)
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-o",
                        stem + ".so", stem + ".o", runtime, "-lpthread",
                        "-ldl", "-lm"], check=True)
        print(stem + ".so")


# ---------------------------------------------------------------- running

class Ours:
    """The program in a shared object, called with addresses of torch's."""

    def __init__(self, torch, folder, name):
        self.torch = torch
        with open(os.path.join(folder, symbol(name) + ".json")) as f:
            self.manifest = json.load(f)
        lib = ctypes.CDLL(os.path.abspath(
            os.path.join(folder, symbol(name) + ".so")))
        self.sizes = [ROWS[name][1][s["name"]]
                      for s in self.manifest["sizes"]]
        values = [ctypes.c_int64(n) for n in self.sizes]
        measure = getattr(lib, symbol(name) + "_workspace_size")
        measure.restype = ctypes.c_int64
        bytes_needed = measure(*values)
        self.work = torch.empty(max(1, bytes_needed), dtype=torch.uint8,
                                device="cuda")
        self.function = getattr(lib, symbol(name))
        self.values = values
        if getattr(lib, symbol(name) + "_load")() != 0:
            raise RuntimeError(name + ": cannot load")

    def call(self, inputs, out):
        stream = self.torch.cuda.current_stream().cuda_stream
        pointers = [ctypes.c_void_p(t.data_ptr()) for t in inputs + [out]]
        status = self.function(ctypes.c_void_p(stream), *self.values,
                               *pointers,
                               ctypes.c_void_p(self.work.data_ptr()))
        if status != 0:
            raise RuntimeError("status %d" % status)


def shapes(ours, sizes):
    """The shape of each array, inputs first."""
    found = []
    for array in ours.manifest["arrays"]:
        found.append([eval(e, {}, dict(sizes)) if isinstance(e, str) else e
                      for e in array["extents"]])
    return found


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


def prepare(torch, launch, sets):
    """A graph whose replay takes a round, and its number of launches."""
    graph = capture(torch, launch, sets)
    replay(torch, graph, sets)
    ms = replay(torch, graph, sets)
    calls = sets * max(1, min(CALLS_MOST // sets,
                              math.ceil(ROUND_MS / ms / sets)))
    return capture(torch, launch, calls), calls


def time_sides(torch, launches, sets, repeat, seed):
    """Times of each side in each round, and the launches of ours."""
    graphs = [prepare(torch, launch, sets) for launch in launches]
    times = [[] for _ in launches]
    order = list(range(len(launches)))
    shuffler = random.Random(seed)
    while len(times[0]) < repeat:
        if len(times[0]) >= min(ROUNDS_LEAST, repeat) and \
                ratio(times[1], times[0])[1] <= SPREAD_ENOUGH:
            break
        shuffler.shuffle(order)
        for k in order:
            times[k].append(replay(torch, *graphs[k]))
    return times, graphs[0][1]


def run_row(torch, folder, name, repeat, seed):
    text, sizes, function, allowed = ROWS[name]
    row = dict.fromkeys(COLUMNS, 0)
    row.update(suite="torch", form=name, type="f32", base="torch",
               size="x".join(str(n) for n in sizes.values()), image="cubin",
               state="failed")
    ours = Ours(torch, folder, name)
    shape = shapes(ours, sizes)
    row["bytes"] = sum(4 * math.prod(s) for s in shape)
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    sets = min(SETS_MOST, 3 * cache // row["bytes"] + 2)
    inputs = [[torch.randn(s, device="cuda") for s in shape[:-1]]
              for _ in range(sets)]
    outs = [torch.full(shape[-1], float("nan"), device="cuda")
            for _ in range(sets)]
    theirs = [None] * sets
    want = function(torch, *[t.double() for t in inputs[0]])
    ours.call(inputs[0], outs[0])
    torch.cuda.synchronize()
    off = (outs[0].double() - want).abs().max().item()
    row["error"] = off / (allowed * want.abs().max().item())
    if not row["error"] <= 1:
        row["state"] = "wrong"
        return row

    def launch_theirs(i):
        theirs[i % sets] = function(torch, *inputs[i % sets])

    def launch_ours(i):
        ours.call(inputs[i % sets], outs[i % sets])

    launch_theirs(0)
    times, row["calls"] = time_sides(torch, [launch_ours, launch_theirs],
                                     sets, repeat, seed)
    row["ours_ms"], row["base_ms"] = median(times[0]), median(times[1])
    row["ratio"], row["spread"] = ratio(times[1], times[0])
    row["rounds"] = len(times[0])
    row["ours_gbs"] = row["bytes"] / row["ours_ms"] * 1e-6
    row["kernels"] = len(ours.manifest["images"][0]["kernels"])
    row["state"] = "verified"
    return row


def shown(value):
    return "%.6g" % value if isinstance(value, float) else str(value)


def run(args):
    import torch
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.manual_seed(args.seed)
    out = open(args.output, "w") if args.output else sys.stdout
    print("# torch %s, %s, seed %d" % (
        torch.__version__, torch.cuda.get_device_name(0), args.seed),
        file=out)
    print("\t".join(COLUMNS), file=out, flush=True)
    code = 0
    for name in args.only.split(",") if args.only else ROWS:
        row = run_row(torch, args.folder, name, args.repeat, args.seed)
        code = 5 if row["state"] != "verified" else code
        print("\t".join(shown(row[c]) for c in COLUMNS), file=out,
              flush=True)
    return code


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    b = verbs.add_parser("build")
    for name in "cetane", "runtime", "folder":
        b.add_argument(name)
    r = verbs.add_parser("run")
    r.add_argument("folder")
    r.add_argument("--output")
    r.add_argument("--only")
    r.add_argument("--repeat", type=int, default=ROUNDS_MOST)
    r.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.verb == "build":
        build(args.cetane, args.runtime, args.folder)
        return 0
    return run(args)


if __name__ == "__main__":
    sys.exit(main())
