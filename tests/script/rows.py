#!/usr/bin/env python3
"""The table of rows names cases that there are.

usage: rows.py README.md

Each cell in quotes is a part of a script in accept.test or in reject.test, beside the
README. All rows C2 to C21 and T11 to T31 are there, and at most FEWER of their cells are
a reason.
"""
import os
import re
import sys

FEWER = 1


def main():
    with open(sys.argv[1]) as f:
        table = re.findall(r"(?m)^\| ([CT]\d+) \| .*? \| (.*?) \| (.*?) \|$", f.read())
    texts = []
    for name in ("accept.test", "reject.test"):
        with open(os.path.join(os.path.dirname(sys.argv[1]), name)) as f:
            texts.append("\n".join(s for s in f.read().split("\n")
                                   if s.startswith("\t")))
    wrong = reasons = 0
    for row, *cells in table:
        for cell, text in zip(cells, texts):
            part = re.fullmatch(r"`(.*)`", cell)
            reasons += part is None
            if part and part[1] not in text:
                wrong += 1
                print("%s: there is no case with %s" % (row, part[1]))
    rows = {row for row, *_ in table}
    for row in ["C%d" % n for n in range(2, 22)] + ["T%d" % n for n in range(11, 32)]:
        if row not in rows:
            wrong += 1
            print("%s has no row" % row)
    print("%d rows, %d cells without a case, %d wrong" % (len(rows), reasons, wrong))
    return wrong > 0 or reasons > FEWER


if __name__ == "__main__":
    sys.exit(main())
