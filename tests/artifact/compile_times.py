#!/usr/bin/env python3
"""How long the programs of cetane bench take to become cubins: seconds for one
row of each form, the slowest first.

usage: compile_times.py CETANE [ARCH]
"""
import os
import subprocess
import sys
import tempfile
import time


def main():
    cetane, arch = sys.argv[1], (sys.argv[2:] or ["sm_90a"])[0]
    rows = subprocess.run([cetane, "bench", "--suite=all", "--list"],
                          capture_output=True, text=True,
                          check=True).stdout.split("\n")
    form = {row.split()[0]: row.split()[1] for row in rows if row}
    times = []
    for name, size in form.items():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sizes")
            with open(path, "w") as f:
                f.write(size.replace("x", " ") + "\n")
            start = time.monotonic()
            subprocess.run(
                [cetane, "bench", "--suite=" + name, "--sizes=" + path,
                 "--compile-only", "--artifacts=" + folder, "-j1",
                 "--arch=" + arch], check=True)
            times.append((time.monotonic() - start, name, size))
    for seconds, name, size in sorted(times, reverse=True):
        print(f"{seconds:7.2f} s  {name} {size}")


if __name__ == "__main__":
    main()
