#!/usr/bin/env python3
"""C files that are refused: every message, with its place.

usage: reject.py CETANE FOLDER [LEAST]

A line that is complained about says so in a comment, once a message:
    // ERROR[E251] 9: part of the text
The number behind the bracket is the column, "-" if there is no place. A first
line "// ARGS: ..." gives options. There have to be LEAST files, or 60.
"""
import os
import re
import subprocess
import sys

EXPECTED = re.compile(r"(?:ERROR|WARNING)\[([EW]\d+)\] (\d+|-): (.*?)"
                      r"(?= // (?:ERROR|WARNING)|$)")


def expected(text):
    for number, line in enumerate(text.split("\n"), 1):
        for code, col, part in EXPECTED.findall(line):
            yield (code, (number, int(col)) if col != "-" else None, part)


def messages(text, path):
    pattern = re.escape(path) + r":(?:(\d+):(\d+):)? \w+\[([EW]\d+)\]: (.*)"
    for m in re.finditer(pattern, text):
        place = (int(m.group(1)), int(m.group(2))) if m.group(1) else None
        yield m.group(3), place, m.group(4)


def same(want, got):
    return len(want) == len(got) and all(
        w[0] == g[0] and w[1] == g[1] and w[2] in g[2]
        for w, g in zip(want, got))


def main():
    cetane, folder = sys.argv[1:3]
    least = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    failed = n = 0
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        with open(path) as f:
            text = f.read()
        args = re.match(r"// ARGS: (.*)", text)
        run = subprocess.run(
            [cetane, "check", path] +
            (args.group(1).split(" //")[0].split() if args else []),
            capture_output=True, text=True)
        want = sorted(expected(text), key=lambda m: m[1] or (0, 0))
        got = sorted(messages(run.stderr, path),
                     key=lambda m: m[1] or (0, 0))
        n += 1
        if not same(want, got) or run.returncode != 1 or \
                "not freed" in run.stderr:
            failed += 1
            print("%s: exit code %d, expected %s, these came:\n%s" % (
                name, run.returncode, want, run.stderr))
    print("%d programs, %d failed" % (n, failed))
    return failed > 0 or n < least


if __name__ == "__main__":
    sys.exit(main())
