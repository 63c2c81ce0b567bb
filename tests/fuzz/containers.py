#!/usr/bin/env python3
"""Make the containers in corpus/container anew, when their format changes.

Small programs are built as objects, and the container is taken out of each,
with the code of its images cut off.

usage: containers.py CETANE
"""
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MAGIC = b"\x89CETANE\n"
PTX, KEPT = 2, 16
TWO = "Params M, K, N; Matrix A(M,K); Matrix B(K,N); C = A*B; D = C^T*C;" \
    "CodeGen(HALF, {D});"
PROGRAMS = {
    "one": ("Params N; Matrix A(N,3); B = A + 1; CodeGen(FLOAT, {B});",
            ["--arch=sm_80,sm_90a"]),
    "two": (TWO, ["--arch=sm_80,sm_90a"]),
    "three": (TWO, ["--arch=sm_90a", "-DM=8", "-DK=8", "-DN=8"]),
}


def container(data):
    at = data.index(MAGIC)
    size = struct.unpack_from("<Q", data, at + 16)[0]
    return data[at:at + size]


def shorten(data):
    """The same container with a few bytes of each image."""
    n = struct.unpack_from("<I", data, 12)[0]
    at, table, rest = 32 + 48 * n, b"", b""
    for i in range(n):
        entry = struct.unpack_from("<4I4Q", data, 32 + 48 * i)
        code = data[entry[4]:entry[4] + entry[5]][:KEPT]
        if entry[0] == PTX:
            code = code[:-1] + b"\0"
        record = data[entry[6]:entry[6] + entry[7]]
        table += struct.pack("<4I4Q", *entry[:4], at, len(code),
                             at + len(code), len(record))
        rest += code + record
        at += len(code) + len(record)
    return data[:16] + struct.pack("<QQ", at, 0) + table + rest


def main():
    cetane = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, options) in PROGRAMS.items():
            with open(os.path.join(folder, "p.dsl"), "w",
                      encoding="ascii") as f:
                f.write(text)
            subprocess.run([cetane, "build", "p.dsl", "--emit=object", "-o",
                            "p.o", *options], cwd=folder, check=True)
            with open(os.path.join(folder, "p.o"), "rb") as f:
                data = shorten(container(f.read()))
            path = os.path.join(HERE, "corpus", "container", name + ".bin")
            with open(path, "wb") as f:
                f.write(data)


if __name__ == "__main__":
    main()
