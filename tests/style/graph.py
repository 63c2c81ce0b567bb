#!/usr/bin/env python3
"""Calls between the folders of a house run one way: down.

usage: graph.py SOURCE-FOLDER BUILD-FOLDER [--list]

A house is polyir, nvptx, frontend, runtime, tools or tools/lib. ORDER lists the folders
of each from the lowest to the highest; "" is the house itself, whose files stand
above all. The graph is made of the objects' symbols: an object that needs what
another defines calls it. A call from a lower to a higher folder fails, unless
UPWARD has it, with a reason; so does a line of UPWARD that nothing needs any
more, a folder that ORDER lacks, and one with more than MOST sources.

A circle of files that call one another and stand in several folders has an upward
call. CIRCLES has those that there are, with the reason and the number of their
files; another one fails, and so does one that grew or shrank. --list prints the
upward calls and the circles that there are.
"""
import collections
import glob
import os
import subprocess
import sys

ORDER = {
    "polyir": ["base", "place", "ir", "sets", "text", "deps", "layout", "cost",
               "tune", "prepare", "cut", "legal", "schedule", "sums", "scans",
               "rows", "memory",
               "map", "loops", "script", ""],
    "nvptx": ["target", "llvm", "optimise", "math", "plan", "value", "contract", "lower",
              "kernel", "assemble", "out", ""],
    "runtime": ["base", "cuda", "host", "device", "image", "object", ""],
    "frontend": ["base", "c/tree", "c/read", "c/rewrite", "c/lower", "c",
                 "index/tensor", "index", "matrix", "parallel", ""],
    "tools/lib": ["base", "worker", "object", "compile", "inspect", ""],
    "tools": ["common", "run", "bench", "own", "profile", "tune", "cases", "lsp", ""],
}
TARGET = {"polyir": "cetane_polyir", "nvptx": "cetane_nvptx",
          "frontend": "cetane_frontend", "runtime": "cetane_rt",
          "tools/lib": "cetane_lib",
          "tools": "cetane"}
MOST, MOST_UPWARD = 25, 20
# (caller, symbol) -> why it stays.
UPWARD = {
    ("polyir/text/parse.c", "poly_verify"): "reads no program that is broken",
    ("nvptx/llvm/module.c", "nvptx_plan_free"): "a module owns its plan",
    ("polyir/sums/split.c", "poly_rows"): "a new schedule has no row programs",
}
# House, folders -> files, why they stay.
CIRCLES = {}


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


def circles(found):
    """Sets of files of several folders that call one another in a circle: the
    strongly connected components of the graph (Tarjan).
    """
    place = {symbol: path for path, (defined, _) in found.items()
             for symbol in defined}
    low, number, stack, result = {}, {}, [], []

    def visit(path):
        low[path] = number[path] = len(number)
        stack.append(path)
        for other in sorted({place[s] for s in found[path][1] & place.keys()}):
            if other not in number:
                visit(other)
            if other in stack:
                low[path] = min(low[path], low[other])
        if low[path] == number[path]:
            at = stack.index(path)
            result.append(sorted(stack[at:]))
            del stack[at:]

    for path in sorted(found):
        if path not in number:
            visit(path)
    return [c for c in result if len({os.path.dirname(p) for p in c}) > 1]


def check_circles(house, found, problems, around):
    for files in circles(found):
        folders = tuple(sorted({os.path.dirname(p) for p in files}))
        around[house, folders] = files
        count = CIRCLES.get((house, folders), (0, ""))[0]
        if not count:
            problems.append("%s: a circle through folders: %s"
                            % (house, " ".join(files)))
        elif count != len(files):
            problems.append("%s: the circle of %s has %d files, CIRCLES says %d"
                            % (house, " ".join(folders), len(files), count))
    for name, folders in sorted(CIRCLES.keys() - around.keys()):
        if name == house:
            problems.append("%s: there is no circle through %s any more"
                            % (house, " ".join(folders)))


def check(source, build, problems, seen, around):
    for house in ORDER:
        found = {path: two for path, two in objects(build, house).items()
                 if os.path.exists(os.path.join(source, house, path))}
        count = collections.Counter(os.path.dirname(p) for p in found)
        for folder in sorted(count):
            if folder not in ORDER[house]:
                problems.append("%s/%s: ORDER lacks it" % (house, folder))
            here = len(glob.glob(os.path.join(source, house, folder, "*.c")))
            if here > MOST:
                problems.append("%s/%s: has %d sources"
                                % (house, folder, here))
        if len(found) < 10:
            problems.append("%s: has too few objects to be true" % house)
        if set(count) - set(ORDER[house]):
            continue
        check_circles(house, found, problems, around)
        for caller, symbol, callee in upward(house, found):
            seen.append((caller, symbol))
            if (caller, symbol) not in UPWARD:
                problems.append("%s: calls %s in %s, which stands above it"
                                % (caller, symbol, callee))


def main():
    problems, seen, around = [], [], {}
    check(sys.argv[1], sys.argv[2], problems, seen, around)
    problems += ["%s: does not call %s any more" % pair
                 for pair in sorted(set(UPWARD) - set(seen))]
    if len(seen) > MOST_UPWARD:
        problems.append("%d upward calls" % len(seen))
    if "--list" in sys.argv:
        print("\n".join("%s: %s" % pair for pair in seen))
        print("\n".join("%s: %s" % (house, " ".join(files))
                        for (house, _), files in sorted(around.items())))
    print("\n".join(problems) or "all calls run downward but for %d; %d circles "
          "through folders" % (len(seen), len(around)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
