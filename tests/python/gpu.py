#!/usr/bin/env python3
"""The Python package on a GPU with PyTorch.

usage: gpu.py make DIR [--library=BUILD] [--arch=ARCH,...]
       gpu.py run DIR

"make" needs the compiler and a C compiler, and no GPU: it puts programs, libcetane_rt
and a loop in C into DIR. "run" needs a GPU, PyTorch and DIR, and no LLVM: it checks
calls against PyTorch, and prints what a call costs more than one from C. It exits with
1 if something is wrong. DIR can be carried to another machine.
"""
import argparse
import ctypes
import os
import resource
import shutil
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(SOURCE, "tools", "python"))

SOFTMAX = """param M, N;
tensor f32 X(M,N);
m(i) = max(j: X(i,j));
e(i,j) = exp(X(i,j) - m(i));
s(i) = sum(j: e(i,j));
out Y(i,j) = e(i,j) / s(i);
"""
# Text, sizes that are fixed, versions for those that are not.
PROGRAMS = {
    "add": ("param N;\ntensor f32 X(N), Z(N);\nout Y(i) = X(i) + Z(i);\n", {}),
    "softmax": (SOFTMAX, {}),
    "softmax_any": (SOFTMAX, {}, 16),
    "softmax1024": (SOFTMAX, {"N": 1024}),
    "softmax4096": (SOFTMAX, {"N": 4096}),
    "softmax_half": (SOFTMAX.replace("tensor f32", "tensor f16")
                     .replace("= max(j: X(i,j))", "= max(j: f32(X(i,j)))")
                     .replace("exp(X(i,j)", "exp(f32(X(i,j))")
                     .replace("= e(i,j) / s(i)", "= f16(e(i,j) / s(i))"),
                     {"N": 4096}),
    "gemm": ("Params M, K, N;\nMatrix A(M,K);\nMatrix B(K,N);\nC = A * B;\n",
             {}),
    "chain": ("Params M, K, N;\nMatrix X(M,K);\nMatrix Y(K,N);\n"
              "Matrix W(N,K);\nT = X * Y;\nZ = T * W;\n"
              "CodeGen(FLOAT, {Z});\n", {}),
}
# Programs whose arrays may have gaps between rows.
PITCHED = {"gemm_rows": "gemm", "softmax_rows": "softmax"}
# Launches from C, for comparison: no interpreter between them.
LOOP = """#include <stdint.h>
int cetane_program_launch(void *, void *, const int64_t *, void *const *, void *,
	int32_t);
int loop(void *p, void *stream, const int64_t *size, void *const *array,
	void *work, int n)
{
	int status = 0;

	while (n-- > 0 && !status)
		status = cetane_program_launch(p, stream, size, array, work, 0);
	return status;
}
"""
ANY_SHAPES = [(1, 1), (37, 1000), (4096, 1024), (4096, 1001), (16384, 128),
              (8192, 4096), (1024, 16384), (512, 32000), (128, 50257),
              (128, 128256)]
failures = []


def say(name, good, text=""):
    if not good:
        failures.append(name)
    print(f"{'right' if good else 'WRONG'}  {name}  {text}", flush=True)


def make(folder, library, arch):
    os.environ["CETANE_LIBRARY"] = os.path.abspath(library)
    import cetane
    os.makedirs(folder, exist_ok=True)
    for name, (text, sizes, *versions) in PROGRAMS.items():
        cetane.compile(text, sizes, arch, "host", name=name + ".dsl",
                       versions=versions[0] if versions else 1).save(folder)
    for name, like in PITCHED.items():
        cetane.compile(PROGRAMS[like][0], {}, arch, "host", name=name + ".dsl",
                       pitched=True).save(folder)
    runtime = os.path.join(folder, "libcetane_rt.so.0")
    shutil.copy(os.path.join(library, "libcetane_rt.so.0"), runtime)
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC",
                    "-x", "c", "-", "-o", os.path.join(folder, "loop.so"),
                    "-x", "none", runtime, "-Wl,-rpath,$ORIGIN"],
                   input=LOOP, text=True, check=True)


# ------------------------------------------------------------------------ checks

def check_softmax(torch, load):
    for name, dtype, shapes in [
            ("softmax", torch.float32, ANY_SHAPES),
            ("softmax_any", torch.float32, ANY_SHAPES),
            ("softmax1024", torch.float32, [(512, 1024), (16384, 1024)]),
            ("softmax4096", torch.float32, [(512, 4096), (8192, 4096)]),
            ("softmax_half", torch.float16, [(8192, 4096)])]:
        softmax = load(name)
        for shape in shapes:
            x = torch.randn(shape, device="cuda", dtype=dtype)
            want = torch.softmax(x.double(), 1)
            got = softmax(x)
            error = (got.double() - want).abs().max().item()
            theirs = (torch.softmax(x, 1).double() - want).abs().max().item()
            y = torch.empty_like(x)
            ours_us = timed(torch, lambda: softmax(x, out=y))
            their_us = timed(torch, lambda: torch.softmax(x, 1))
            say(f"{name} {shape}", got.dtype == dtype and
                error <= 2 * theirs + (1e-6 if dtype == torch.float32
                                       else 1e-3),
                f"error {error:.2e}, PyTorch {theirs:.2e}; "
                f"{ours_us:.1f} us, PyTorch {their_us:.1f} us, "
                f"ratio {their_us / ours_us:.2f}")


def timed(torch, call, rounds=5, n=50):
    """The median of microseconds a call on the GPU."""
    call()
    found = []
    for _ in range(rounds):
        a, b = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        a.record()
        for _ in range(n):
            call()
        b.record()
        torch.cuda.synchronize()
        found.append(a.elapsed_time(b) / n * 1e3)
    return sorted(found)[rounds // 2]


def check_others(torch, load):
    gemm, chain = load("gemm"), load("chain")
    a, b = (torch.randn(s, device="cuda") for s in ((300, 200), (200, 100)))
    w = torch.randn((100, 200), device="cuda")
    want = a.double() @ b.double()
    say("gemm", (gemm(a, b).double() - want).abs().max().item() < 1e-3)
    chained = want @ w.double()
    say("chain, with a workspace",
        all((chain(a, b, w).double() - chained).abs().max().item() < 1e-2
            for _ in range(3)),
        f"{chain.workspace_size(M=300, K=200, N=100)} bytes")
    n = gemm(a.cpu().numpy(), b.cpu().numpy())
    say("NumPy, copied to the GPU", abs(n - want.cpu().numpy()).max() < 1e-3)
    for name, bad, says in [
            ("type", lambda: gemm(a, b.half()), "must have f32"),
            ("gaps", lambda: gemm(a, w.t()), "not row-major"),
            ("shape", lambda: gemm(a, w), "it must be 200"),
            ("device", lambda: gemm(a, b.cpu()), "memory of the host")]:
        try:
            bad()
            say("refused: " + name, False)
        except (TypeError, ValueError) as e:
            say("refused: " + name, says in str(e), str(e))


def check_strides(torch, load):
    """Parts of larger tensors, and heads within rows, without a copy."""
    gemm, softmax = load("gemm_rows"), load("softmax_rows")
    whole = torch.randn((300, 500), device="cuda")
    for name, a, b in [
            ("columns", whole[:, :200], whole[100:300, 300:431]),
            ("every second row", whole[::2, 7:107], whole[:100, 11:60]),
            ("no gaps", whole[:64].contiguous(), whole.t().contiguous()),
            ("one row", whole[:1, 3:40], whole[5:42, 1:2])]:
        out = torch.full((a.shape[0], b.shape[1] + 9), 7.0, device="cuda")
        place = out[:, 4:4 + b.shape[1]]
        for _ in range(2):
            gemm(a, b, out=place)
        want = a.double() @ b.double()
        say(f"strides of gemm: {name}",
            (place.double() - want).abs().max().item() < 1e-3 and
            bool((out[:, :4] == 7).all() and (out[:, 4 + b.shape[1]:] == 7).all()))
    x = torch.randn((37, 4, 100), device="cuda")
    say("strides of softmax: a head within rows", torch.allclose(
        softmax(x[:, 1]), torch.softmax(x[:, 1], 1), atol=1e-6))
    for bad, says in [(whole.t(), "contiguous copy"), (whole[:, ::2], "copy")]:
        try:
            softmax(bad)
            say("refused: strides of columns", False)
        except ValueError as e:
            say("refused: strides of columns", says in str(e), str(e))


def check_interfaces(torch, load):
    add = load("add")
    x, z, y = (torch.randn(1000, device="cuda") for _ in range(3))

    class Interface:
        def __init__(self, t):
            self.__cuda_array_interface__ = t.__cuda_array_interface__

    class DLPack:
        def __init__(self, t):
            self.t = t

        def __dlpack__(self, **more):
            return self.t.__dlpack__(**more)

        def __dlpack_device__(self):
            return self.t.__dlpack_device__()

    for kind in Interface, DLPack:
        y.zero_()
        torch.cuda.synchronize()
        add(kind(x), kind(z), out=kind(y))
        torch.cuda.synchronize()
        say(kind.__name__, torch.equal(y, x + z))
    try:
        import cupy
    except ImportError:
        print("there is no CuPy")
        return
    got = add(cupy.asarray(x), cupy.asarray(z))
    say("CuPy", isinstance(got, cupy.ndarray) and
        bool((got == cupy.asarray(x + z)).all()))


def check_streams(torch, load):
    add = load("add")
    n = 1 << 24
    x, z = (torch.randn(n, device="cuda") for _ in range(2))
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(20):
            x = x + 1
        y = add(x, z)       # wrong if it does not wait for what is before it
        stream.synchronize()
    say("current stream", torch.equal(y, x + z))
    add.load()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        add(x, z, out=y)
    y.zero_()
    graph.replay()
    torch.cuda.synchronize()
    say("captured into a graph", torch.equal(y, x + z))
    found = []

    def other():
        found.append(torch.equal(add(x, z), x + z))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    say("from another thread", found == [True])


def check_operator(torch, load):
    import cetane.torch
    op = cetane.torch.register(load("softmax1024"), "cetane_test::softmax")
    x = torch.randn((64, 1024), device="cuda")
    torch.library.opcheck(op, (x,), test_utils=("test_schema",
                                                "test_faketensor"))
    f = torch.compile(lambda x: op(x * 2) + 1, fullgraph=True)
    want = torch.softmax(x * 2, 1) + 1
    say("under torch.compile", torch.allclose(f(x), want, atol=1e-6))


def check_leaks(torch, load):
    add = load("add")
    x = torch.randn(1000, device="cuda")
    used = []
    for _ in range(3):
        for _ in range(1000):
            add(x, x)
        torch.cuda.synchronize()
        used.append((torch.cuda.memory_allocated(),
                     resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
    say("1000 calls leak nothing", used[2][0] == used[1][0] and
        used[2][1] - used[1][1] < 256, f"bytes, KiB: {used}")


# ---------------------------------------------------------------------- overhead

def overhead(torch, load, folder):
    add = load("add")
    x, z, y = (torch.randn(256, device="cuda") for _ in range(3))
    add(x, z, out=y)
    loop = ctypes.CDLL(os.path.join(folder, "loop.so")).loop
    size = (ctypes.c_int64 * 1)(256)
    array = (ctypes.c_void_p * 3)(x.data_ptr(), z.data_ptr(), y.data_ptr())
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    pointer = ctypes.c_void_p(add._pointer)

    def from_c(n):
        if loop(pointer, stream, size, array, None, n):
            raise SystemExit("a launch from C failed")

    def from_python(n):
        for _ in range(n):
            add(x, z, out=y)

    def with_new_output(n):
        for _ in range(n):
            add(x, z)

    def torch_add(n):
        for _ in range(n):
            torch.add(x, z, out=y)

    times = {f.__name__: [] for f in (from_c, from_python, with_new_output,
                                      torch_add)}
    for _ in range(15):
        for f in from_c, from_python, with_new_output, torch_add:
            f(100)
            torch.cuda.synchronize()
            n = 300     # fewer than what the driver queues
            start = time.perf_counter()
            f(n)
            times[f.__name__].append((time.perf_counter() - start) / n * 1e6)
            torch.cuda.synchronize()
    median = {k: sorted(v)[len(v) // 2] for k, v in times.items()}
    for name, us in median.items():
        print(f"       {name}: {us:.2f} us a call")
    more = median["from_python"] - median["from_c"]
    say("overhead over the C call <= 5 us", more <= 5, f"{more:.2f} us")


def run(folder):
    os.environ["CETANE_LIBRARY"] = os.path.abspath(folder)
    import cetane
    import torch
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__)
    programs = {}

    def load(name):
        if name not in programs:
            programs[name] = cetane.load(os.path.join(folder, name + ".o"))
        return programs[name]

    # While torch.compile starts its workers, all calls take longer, those from C, too.
    overhead(torch, load, folder)
    for check in (check_others, check_strides, check_interfaces, check_streams,
                  check_softmax, check_operator, check_leaks):
        try:
            check(torch, load)
        except Exception as e:      # noqa: BLE001: the others go on
            say(check.__name__, False, f"{type(e).__name__}: {e}")
    print("wrong:", ", ".join(failures) or "nothing")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=["make", "run"])
    parser.add_argument("folder")
    parser.add_argument("--library", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--arch", default="sm_90a")
    o = parser.parse_args()
    if o.verb == "run":
        sys.exit(run(o.folder))
    make(o.folder, o.library, o.arch)


main()
