#!/usr/bin/env python3
"""How far the mathematical functions of f32 are off on a GPU, as the table of
tests/nvptx/ulp.c has it for the host device.

usage: ulp.py CETANE [--fp=CLASS] [--stride=N] [--host=FILE] [--cc=CC] [NAME...]

Each function of one argument runs on the GPU over every N-th of the 2^32 inputs (65537; 1:
all) and is compared with PyTorch's in double, or a formula of these. The last column is
the sum of the results and their places that tests/nvptx/ulp.c has; with --host=FILE,
what "nvptx_ulp --stride=N" has printed, it must be the same, but for functions that class
relaxed approximates. Exits with 1 if one is not, or a function is further off than the
manifest says: half a unit and what "function_ulp" tells. 77: no PyTorch with a GPU.
"""
import argparse
import ctypes
import json
import math
import os
import subprocess
import sys
import tempfile

try:
    import torch
except ImportError:
    torch = None

CHUNK = 1 << 22
MASK = (1 << 64) - 1


def sigmoid(x):
    t = torch.exp(-x.abs())
    return torch.where(x < 0, t / (1 + t), 1 / (1 + t))


def silu(x):
    return torch.where(x == -math.inf, torch.zeros_like(x), x * sigmoid(x))


def gelu(x):
    y = x * torch.special.erfc(-x * math.sqrt(0.5)) / 2
    return torch.where(x == -math.inf, torch.zeros_like(x), y)


def softplus(x):
    return x.clamp_min(0) + torch.log1p(torch.exp(-x.abs()))


def mish(x):
    t = torch.exp(-x.abs())
    y = torch.where(x < 0, x * t * (2 + t) / (2 + t * (2 + t)),
                    x * (1 + 2 * t) / (1 + 2 * t + 2 * t * t))
    y = torch.where(x == math.inf, x, y)
    return torch.where(x == -math.inf, torch.zeros_like(x), y)


def turned(x):
    """x less the nearest even number, which is exact."""
    return x - 2 * torch.round(x / 2)


def sinpi(x):
    r = turned(x)
    r = torch.where(r > 0.5, 1 - r, torch.where(r < -0.5, -1 - r, r))
    return torch.sin(math.pi * r)


def cospi(x):
    r = turned(x).abs()
    return torch.where(r > 0.25, torch.sin(math.pi * (0.5 - r)),
                       torch.cos(math.pi * r))


def sinc(x):
    y = sinpi(x) / (math.pi * x)
    y = torch.where(x.isinf(), torch.zeros_like(x), y)
    return torch.where(x == 0, torch.ones_like(x), y)


def cbrt(x):
    y = x.sign() * x.abs() ** (1 / 3)
    y = torch.where(x.isfinite() & (x != 0), y - (y - x / (y * y)) / 3, x)
    return y


REFERENCE = {
    "sigmoid": sigmoid, "silu": silu, "gelu": gelu, "softplus": softplus,
    "mish": mish, "sinpi": sinpi, "cospi": cospi, "sinc": sinc, "cbrt": cbrt}
NAMES = ("exp log tanh sigmoid exp2 log2 log10 sin cos tan asin acos atan sinh cosh asinh "
         "acosh atanh expm1 log1p rsqrt cbrt sinpi cospi sinc erf erfc erfinv gelu silu "
         "softplus mish").split()


class Function:
    """One function on the GPU, over CHUNK elements."""

    def __init__(self, name, args, folder):
        self.name = name
        path = os.path.join(folder, name)
        with open(path + ".dsl", "w") as f:
            f.write("tensor f32 x(%d);\nout y(i) = %s(x(i));\n" % (CHUNK, name))
        major, minor = torch.cuda.get_device_capability()
        subprocess.run([args.cetane, "build", path + ".dsl", "--emit=object",
                        "--name=f", "--fp=" + args.fp, "--arch=sm_%d%d%s" % (
                            major, minor, "a" if major >= 9 else ""),
                        "-o", path + ".o"], check=True, stdout=subprocess.DEVNULL)
        with open(path + ".json") as f:
            numbers = [a["numbers"] for a in json.load(f)["arrays"]
                       if "numbers" in a][0]
        self.most = 0.5 + numbers["function_ulp"]
        self.approximate = numbers["approximate"]
        subprocess.run([args.cc, "-shared", "-o", path + ".so", path + ".o",
                        os.path.join(folder, "cetane_rt.o"), "-ldl"], check=True)
        self.lib = ctypes.CDLL(path + ".so")
        self.y = torch.empty(CHUNK, device="cuda")
        self.error, self.at, self.sum, self.n = 0.0, 0.0, 0, 0

    def run(self, x, bits):
        """Compare the results for the floats "x", whose bits are "bits"."""
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        wide = torch.zeros(CHUNK, device="cuda")
        wide[:len(x)] = x
        status = self.lib.f(stream, ctypes.c_void_p(wide.data_ptr()),
                            ctypes.c_void_p(self.y.data_ptr()))
        if status:
            raise RuntimeError("%s: status %d" % (self.name, status))
        y = self.y[:len(x)]
        error = self.errors(y.double(), REFERENCE.get(
            self.name, getattr(torch, self.name, None) or
            getattr(torch.special, self.name, None))(x.double()))
        worst, at = error.max(0)
        if float(worst) > self.error:
            self.error, self.at = float(worst), float(x[at])
        out = y.view(torch.int32).long() & 0xffffffff
        out = torch.where(y.isnan(), torch.full_like(out, 0x7fc00000), out)
        self.sum = (self.sum + int((out * (2 * bits + 1)).sum())) & MASK
        self.n += len(x)

    @staticmethod
    def errors(y, z):
        """In units of the last place of f32, as math_error_f32 has them."""
        unit = torch.ldexp(torch.ones_like(z), torch.frexp(z)[1].clamp_min(-125) - 24)
        top = 2.0 ** 128
        y, z = y.clamp(-top, top), z.clamp(-top, top)
        error = (y - z).abs() / unit
        error = torch.where((y == z) | (y.isnan() & z.isnan()),
                            torch.zeros_like(z), error)
        return torch.where(error.isnan(), torch.full_like(z, math.inf), error)


def go_over(functions, stride):
    count = ((1 << 32) + stride - 1) // stride
    for first in range(0, count, CHUNK):
        bits = torch.arange(first, min(first + CHUNK, count), device="cuda") * stride
        x = torch.where(bits >= 1 << 31, bits - (1 << 32), bits).to(
            torch.int32).view(torch.float32)
        for f in functions:
            f.run(x, bits)


def host_sums(path):
    with open(path) as file:
        rows = [line.split() for line in file]
    return {row[0]: (int(row[3]), int(row[4], 16)) for row in rows[1:]}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("cetane")
    p.add_argument("names", nargs="*")
    p.add_argument("--fp", default="reassoc")
    p.add_argument("--stride", type=int, default=65537)
    p.add_argument("--host")
    p.add_argument("--cc", default="cc")
    args = p.parse_intermixed_args()
    if torch is None or not torch.cuda.is_available():
        return 77
    torch.zeros(1, device="cuda")
    host = host_sums(args.host) if args.host else {}
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([args.cetane, "build", "--emit=runtime", "-o", folder + "/"],
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run([args.cc, "-c", "-fPIC", "-O1", "-I" + folder, "-o",
                        folder + "/cetane_rt.o", folder + "/cetane_rt.c"], check=True)
        functions = [Function(name, args, folder)
                     for name in args.names or NAMES]
        go_over(functions, args.stride)
    print("%-10s %8s %22s %11s %17s" % ("function", "ulp", "at", "inputs", "sum"))
    for f in functions:
        said = " too far" if f.error > f.most else ""
        if f.approximate:
            said += " approximate"
        elif host.get(f.name, (f.n, f.sum)) != (f.n, f.sum):
            said += " differs from the host"
        bad += "too" in said or "differs" in said
        print("%-10s %8.4f %22s %11d  %016x%s" % (
            f.name, f.error, f.at.hex(), f.n, f.sum, said))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
