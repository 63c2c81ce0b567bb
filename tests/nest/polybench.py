#!/usr/bin/env python3
"""The kernels of PolyBench/C against the system's C compiler.

usage: polybench.py CETANE [SIZE [KERNEL...]]

$CETANE_POLYBENCH names the folder of PolyBench/C 4.2.1, which is not part of
this repository; without it the test is skipped. Every kernel is compiled from
its own file, unchanged. SIZE is MINI (default), SMALL, ..
"""
import glob
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import against_cc

SKIPPED = 77
# Kernels that call functions of the library, or divide by what they computed.
ULP = {"correlation": 0, "deriche": 64}
# Matrices that must be positive definite.
TAME = {"cholesky": ("A",), "lu": ("A",), "ludcmp": ("A",), "durbin": ()}


def main():
    cetane = sys.argv[1]
    size = sys.argv[2] if len(sys.argv) > 2 else "MINI"
    root = os.environ.get("CETANE_POLYBENCH")
    if not root:
        print("skipped: CETANE_POLYBENCH is not set")
        return SKIPPED
    files = sorted(f for f in glob.glob(root + "/**/*.c", recursive=True)
                   if "/utilities/" not in f and "kernel_" in
                   open(f).read())
    failed = 0
    for path in files:
        name = os.path.basename(path)[:-2]
        if len(sys.argv) > 3 and name not in sys.argv[3:]:
            continue
        flags = ["-D%s_DATASET" % size, "-I", root + "/utilities", "-I",
                 os.path.dirname(path)]
        text = against_cc.preprocess(path, flags)
        kernel = re.search(r"\bkernel_\w+", text).group()
        body = text[text.rindex("main("):]
        sizes = dict((k, int(v)) for k, v in re.findall(
            r"\bint (\w+) = (\d+);", body))
        begin = time.time()
        try:
            error = against_cc.compare(cetane, path, flags, kernel, sizes,
                                       ULP.get(name, 0), TAME.get(name, ()))
        except (ValueError, subprocess.CalledProcessError) as e:
            error = str(e)
        print("%s: %s (%.1f s)" % (name, error or "the same",
                                   time.time() - begin))
        sys.stdout.flush()
        failed += error is not None
    print("%d kernels, %d failed" % (len(files), failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
