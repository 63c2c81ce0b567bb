#!/usr/bin/env python3
"""The figures behind the rules of check.py and graph.py, a line each, for a report.

usage: figures.py SOURCE-FOLDER BUILD-FOLDER
"""
import collections
import os
import re
import statistics
import sys

import check
import graph


def read(root, path):
    with open(os.path.join(root, path)) as f:
        return f.read()


def functions(text):
    """Name and lines of each function: between its braces."""
    start = name = None
    lines = check.strip_comments(text).split("\n")
    for i, line in enumerate(lines):
        if line.startswith("{"):
            start = i
            head = " ".join(lines[max(0, i - 6):i])
            name = (re.findall(r"\b(\w+)\s*\(", head) or ["?"])[-1]
        elif line.startswith("}") and start is not None:
            yield i - start, name
            start = None


def lengths(root, paths):
    """The longest file and function, and how long functions are."""
    files = [(read(root, p).count("\n"), p) for p in paths]
    found = [(n, "%s in %s" % (name, p)) for p in paths
             for n, name in functions(read(root, p))]
    size = sorted(n for n, _ in found)
    print("longest file: %d lines, %s" % max(files))
    print("longest function: %d lines, %s" % max(found))
    print("functions: %d, the median has %d lines, nine of ten at most %d" % (
        len(size), statistics.median(size), size[9 * len(size) // 10]))


def folders(root, paths):
    count = collections.Counter(os.path.dirname(p) for p in paths
                                if p.endswith(".c"))
    print("most sources of a folder: %d, %s; folders: %d" % (
        max(count.values()), max(count, key=count.get), len(count)))


def comments(root):
    """The share of comments in each house, and static functions that lack one."""
    for house in check.HOUSES:
        found = [c for p in check.sources(root, house)
                 for c in check.is_comment(read(root, p).split("\n"))]
        print("comments in %s: %.1f of 100 lines" % (
            house, 100 * sum(found) / len(found)))
        for path in check.sources(root, house):
            check.check_comments(path, read(root, path))
    print("static functions of more than %d lines without a comment: %d" % (
        check.SPEAKS_FOR_ITSELF, len(check.problems)))


def main():
    root, build = sys.argv[1], sys.argv[2]
    houses = [p for house in check.HOUSES for p in check.sources(root, house)]
    tests = [p for p in check.sources(root, "tests")
             if not p.startswith(check.CASES)]
    for name, paths in (("houses", houses), ("tests", tests)):
        print("%s: %d files" % (name, len(paths)))
        lengths(root, paths)
        folders(root, paths)
    comments(root)
    problems, seen, around = [], [], {}
    graph.check(root, build, problems, seen, around)
    print("upward calls: %d; circles through folders: %d" % (len(seen), len(around)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
