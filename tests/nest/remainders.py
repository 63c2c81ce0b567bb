#!/usr/bin/env python3
"""Remainders by a size as subscripts, against cc.

A loop that runs from 0 or 1, below or up to n, upwards or downwards, reads and
writes at (c i + d + e n) % n, for every n from 1 on; none is refused, and all
gives what the system's compiler gives.

usage: remainders.py CETANE
"""
import os
import re
import subprocess
import sys
import tempfile

import against_cc

LOOPS = ("int i = 0; i < n; i++", "int i = 0; i <= n; i++",
         "int i = 1; i <= n; i++", "int i = n - 1; i >= 0; i--",
         "int i = n; i >= 0; i--")
SUBSCRIPTS = ("i", "i + 1", "i + 2", "i + 3", "i + n", "i - 1 + n",
              "i - 2 + n", "n - i", "n + 1 - i", "2 * i + 1", "3 * i")
SIZES = (1, 2, 3, 8)


def source():
    """A row of y for each loop and subscript."""
    text = ""
    for k, loop in enumerate(LOOPS):
        body = "".join(f"\t\ty[{k * len(SUBSCRIPTS) + j}][i] = a[({at}) % n];\n"
                       for j, at in enumerate(SUBSCRIPTS))
        text += f"\tfor ({loop}) {{\n{body}\t}}\n"
    return (f"void remainders(int n, const int a[n], int y["
            f"{len(LOOPS) * len(SUBSCRIPTS)}][n + 1])\n{{\n{text}}}\n")


def updates():
    """A function for each subscript that loops over 0 <= i < n write at."""
    return "".join(
        f"void update{k}{j}(int n, const int a[n], int y[n])\n{{\n"
        f"\tfor ({loop})\n\t\ty[({at}) % n] += a[i];\n}}\n"
        for k, loop in enumerate(LOOPS[:4:3])
        for j, at in enumerate(SUBSCRIPTS))


def complaints(path):
    """What is said of subscripts that must be as good as affine ones."""
    with open(path, "w", encoding="utf-8") as f:
        f.write(updates())
    text = []
    for name in re.findall(r"update\d+", updates()):
        p = subprocess.run([sys.argv[1], "check", path, f"--function={name}"],
                           capture_output=True, text=True)
        if p.returncode or p.stderr:
            text.append(f"{name}: exit {p.returncode}\n{p.stderr}")
    return text


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "remainders.c")
        with open(path, "w", encoding="utf-8") as f:
            f.write(source())
        for n in SIZES:
            try:
                text = against_cc.compare(sys.argv[1], path, [], "remainders",
                                          {"n": n}, 0,
                                          options=["--verify=none"])
            except (ValueError, subprocess.CalledProcessError) as e:
                text = str(e)
            if text is not None:
                failed += 1
                print(f"n={n}: {text}")
        said = complaints(path)
    print(*said, f"{len(SIZES)} sizes, {failed + len(said)} wrong", sep="\n")
    failed += len(said)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
