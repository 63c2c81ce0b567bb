#!/usr/bin/env python3
"""Calls between the folders of a house run one way: down.

usage: graph.py SOURCE-FOLDER BUILD-FOLDER [--list]

A house is polyir, nvptx, frontend, tools or tools/lib. ORDER lists the folders
of each from the lowest to the highest; "" is the house itself, whose files stand
above all. The graph is made of the objects' symbols: an object that needs what
another defines calls it. A call from a lower to a higher folder fails, unless
UPWARD has it, with a reason; so does a line of UPWARD that nothing needs any
more, a folder that ORDER lacks, and one with more than MOST sources. --list
prints the upward calls that there are.
"""
import collections
import glob
import os
import subprocess
import sys

ORDER = {
    "polyir": ["base", "ir", "sets", "text", "deps", "layout", "cost", "tune",
               "prepare", "legal", "schedule", "sums", "rows", "memory", "map",
               "loops", ""],
    "nvptx": ["target", "llvm", "math", "plan", "lower", "assemble", "out", ""],
    "frontend": ["base", "c/read", "c/rewrite", "c/lower", "c", "index",
                 "matrix", ""],
    "tools/lib": ["base", "worker", "object", "compile", ""],
    "tools": ["common", "run", "inspect", "bench", "tune", ""],
}
TARGET = {"polyir": "cetane_polyir", "nvptx": "cetane_nvptx",
          "frontend": "cetane_frontend", "tools/lib": "cetane_lib",
          "tools": "cetane"}
MOST, MOST_UPWARD = 25, 20
# (caller, symbol) -> why it stays.
MATRIX = "a definition by indices may read what matrices define, and become"
UPWARD = {
    ("polyir/ir/prog.c", "poly_found_free"): "who frees a program frees it all",
    ("polyir/ir/prog.c", "poly_seen_free"): "who frees a program frees it all",
    ("polyir/sums/chained.c", "poly_try"): "tries the passes behind on a copy",
    ("polyir/sums/fold.c", "poly_try"): "tries the passes behind on a copy",
    ("polyir/sums/fold.c", "poly_copy"): "tries the passes behind on a copy",
    ("polyir/text/parse.c", "poly_verify"): "reads no program that is broken",
    ("nvptx/llvm/module.c", "nvptx_plan_free"): "a module owns its plan",
    ("frontend/index/bind.c", "fe_from_matrix"): MATRIX,
    ("frontend/index/call.c", "fe_declare"): MATRIX,
    ("frontend/index/call.c", "fe_from_matrix"): MATRIX,
    ("frontend/index/index_check.c", "fe_declare"): MATRIX,
    ("frontend/index/index_check.c", "fe_from_matrix"): MATRIX,
}


def objects(build, house):
    """Path of a source, from its house on -> what it defines, what it needs."""
    base = os.path.join(build, "CMakeFiles", TARGET[house] + ".dir", house)
    paths = glob.glob(os.path.join(base, "**", "*.c.o"), recursive=True)
    out = subprocess.run(["nm", "-A", "-g", *paths], capture_output=True,
                         text=True, check=True).stdout
    found = {os.path.relpath(p, base)[:-2]: (set(), set()) for p in paths}
    for line in out.splitlines():
        path, words = line.rsplit(":", 1)
        kind, symbol = words.split()[-2:]
        if kind in "UTDBRVC":
            two = found[os.path.relpath(path, base)[:-2]]
            two[kind == "U"].add(symbol)
    return found


def upward(house, found):
    """The calls that run upward: (caller, symbol, callee)."""
    place = {symbol: path for path, (defined, _) in found.items()
             for symbol in defined}
    rank = {folder: i for i, folder in enumerate(ORDER[house])}
    for path, (_, needed) in sorted(found.items()):
        for symbol in sorted(needed & place.keys()):
            here, there = (os.path.dirname(p) for p in (path, place[symbol]))
            if rank[there] > rank[here]:
                yield "%s/%s" % (house, path), symbol, place[symbol]


def check(source, build, problems, seen):
    for house in ORDER:
        found = {path: two for path, two in objects(build, house).items()
                 if os.path.exists(os.path.join(source, house, path))}
        count = collections.Counter(os.path.dirname(p) for p in found)
        for folder in sorted(count):
            if folder not in ORDER[house]:
                problems.append("%s/%s: ORDER lacks it" % (house, folder))
            if count[folder] > MOST:
                problems.append("%s/%s: has %d sources"
                                % (house, folder, count[folder]))
        if len(found) < 10:
            problems.append("%s: has too few objects to be true" % house)
        if set(count) - set(ORDER[house]):
            continue
        for caller, symbol, callee in upward(house, found):
            seen.append((caller, symbol))
            if (caller, symbol) not in UPWARD:
                problems.append("%s: calls %s in %s, which stands above it"
                                % (caller, symbol, callee))


def main():
    problems, seen = [], []
    check(sys.argv[1], sys.argv[2], problems, seen)
    problems += ["%s: does not call %s any more" % pair
                 for pair in sorted(set(UPWARD) - set(seen))]
    if len(seen) > MOST_UPWARD:
        problems.append("%d upward calls" % len(seen))
    if "--list" in sys.argv:
        print("\n".join("%s: %s" % pair for pair in seen))
    print("\n".join(problems) or "all calls run downward but for %d"
          % len(seen))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
