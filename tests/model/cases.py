"""Programs at sizes of use: those of the suite "rows", products, and the programs of
tests/programs, whose last sizes are made greater until they are worth a device.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(TESTS, "rows"))
sys.path.insert(0, os.path.join(TESTS, "fuzz"))
import program
import table

# Factors of the last sizes of tests/programs, the first that compiles counts.
FACTORS = (64, 16, 4)

# Products and sums that the suites of "cetane bench" measure, by name: text, sizes.
PRODUCTS = {
    "gemm": ("param M, N, K;\ntensor f32 A(M,K), B(K,N);\n"
             "out C(i,j) += A(i,k) * B(k,j);\n",
             ["4096 4096 4096", "1024 1024 1024", "1001 1001 1001",
              "256 4096 512", "512 512 16384", "64 64 65536", "128 8192 96",
              "3008 3008 3008", "2048 160 2048", "12032 96 384"]),
    "gemm-tn": ("param M, N, K;\ntensor f32 A(K,M), B(K,N);\n"
                "out C(i,j) += A(k,i) * B(k,j);\n",
                ["2048 2048 2048", "384 640 4096"]),
    "gemm-bf16": ("param M, N, K;\ntensor bf16 A(M,K), B(K,N);\n"
                  "out C(i,j) += f32(A(i,k)) * f32(B(k,j));\n",
                  ["4096 4096 4096", "1024 1024 1024", "8192 256 2048"]),
    "gemm-f64": ("param M, N, K;\ntensor f64 A(M,K), B(K,N);\n"
                 "out C(i,j) += A(i,k) * B(k,j);\n",
                 ["2048 2048 2048", "1024 512 4096"]),
    "gemm-relu": ("param M, N, K;\ntensor f32 A(M,K), B(K,N), b(N);\n"
                  "C(i,j) += A(i,k) * B(k,j);\n"
                  "out H(i,j) = relu(C(i,j) + b(j));\n",
                  ["4096 1024 512", "1024 4096 1024"]),
    "gemv": ("param M, N;\ntensor f32 A(M,N), x(N);\n"
             "out y(i) += A(i,j) * x(j);\n",
             ["8192 8192", "1024 65536", "64 1048576", "65536 512"]),
    "gemv-t": ("param M, N;\ntensor f32 A(M,N), x(M);\n"
               "out y(j) += A(i,j) * x(i);\n",
               ["8192 8192", "65536 512", "512 65536"]),
    "batch": ("param B, M, N, K;\ntensor f32 A(B,M,K), C(B,K,N);\n"
              "out D(b,i,j) += A(b,i,k) * C(b,k,j);\n",
              ["64 512 512 512", "1024 64 64 64", "8 1001 999 1003"]),
    "batch-chain": ("param B, H, N, D;\n"
                    "tensor f32 X(B,H,N,D), Y(B,H,D,N), Z(B,H,N,D);\n"
                    "E(b,h,i,j) += X(b,h,i,k) * Y(b,h,k,j);\n"
                    "out F(b,h,i,j) += E(b,h,i,k) * Z(b,h,k,j);\n",
                    ["4 8 1024 64", "2 4 512 128"]),
    "chain": ("param M, K, H, N;\ntensor f32 X(M,K), V(K,H), W(H,N);\n"
              "Z(i,j) += X(i,k) * V(k,j);\n"
              "out Y(i,j) += Z(i,k) * W(k,j);\n",
              ["8192 512 128 512", "1024 512 128 256", "4096 4096 4096 64"]),
    "dot": ("param N;\ntensor f32 x(N), y(N);\nout s() += x(i) * y(i);\n",
            ["16777216", "268435456"]),
    "min-plus": ("param M, N, K;\ntensor f32 A(M,K), B(K,N);\n"
                 "out C(i,j) min= A(i,k) + B(k,j);\n",
                 ["2048 2048 2048", "512 512 512"]),
    "attention": ("param H, S, D;\ntensor f32 Q(H,S,D), K(H,S,D), V(H,S,D);\n"
                  "s(h,i,j) = sum(d: Q(h,i,d) * K(h,j,d));\n"
                  "top(h,i) max= s(h,i,j);\n"
                  "e(h,i,j) = exp(s(h,i,j) - top(h,i));\n"
                  "all(h,i) += e(h,i,j);\n"
                  "out o(h,i,d) = sum(j: e(h,i,j) * V(h,j,d)) / all(h,i);\n",
                  ["16 1024 64", "64 512 128"]),
}


class Case:
    """A program in the file "path", with values of its sizes."""

    def __init__(self, family, name, path, sizes, text=None):
        self.family, self.name, self.path = family, name, path
        self.sizes, self.text = sizes, text

    def __str__(self):
        return "%s/%s %s" % (self.family, self.name, " ".join(
            "%s=%d" % item for item in self.sizes.items()))

    def defines(self):
        return ["-D%s=%d" % item for item in self.sizes.items()]

    def write(self, folder):
        """The path of the text, which is written if it is no file yet."""
        if self.text is None:
            return self.path
        path = os.path.join(folder, self.path)
        with open(path, "w") as f:
            f.write(self.text)
        return path


def rows():
    """All rows of the suite, in their types."""
    for name, row in table.ROWS.items():
        for kind, *values in row.sizes:
            one = program.Case(name, kind, values)
            yield Case("rows", "%s/%s" % (name, kind), one.stem + ".dsl",
                       one.sizes, one.text)


def products():
    for name, (text, sizes) in PRODUCTS.items():
        for i, values in enumerate(sizes):
            yield Case("products", name, "%s_%d.dsl" % (name, i),
                       dict(zip(program.sizes_of(text),
                                map(int, values.split()))), text)


def last_sizes(text):
    """The sizes of the last run that "text" names: "N=1 M=2 | N=3 M=4"."""
    return {name: int(n) for name, n in
            re.findall(r"(\w+)=(\d+)", re.split(r"[|;]", text)[-1])}


def programs():
    """Of each program of tests/programs a list of cases, largest first."""
    folder = os.path.join(TESTS, "programs")
    with open(os.path.join(folder, "index.txt")) as f:
        found = dict(re.findall(r"(?m)^(\w+): (.*)$", f.read()))
    found = {name + ".dsl": sizes for name, sizes in found.items()}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".c"):
            with open(os.path.join(folder, name)) as f:
                found[name] = re.search(r"// sizes: (.*?)(\s{2,}|\n)",
                                        f.read()).group(1)
    for name, text in sorted(found.items()):
        sizes = last_sizes(text)
        yield [Case("programs", name, os.path.join(folder, name),
                    {s: n * factor for s, n in sizes.items()})
               for factor in FACTORS]
