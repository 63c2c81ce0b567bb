#!/usr/bin/env python3
"""Programs of found/ that random programs were made smaller to, each in all
ways that fuzz_differ runs it.

usage: found.py DIFFER

The first line of each is a comment with its options, the second says what it
is about.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import part

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "found")


def options_of(path):
    with open(path) as f:
        return f.readline().split()[1:]


def main():
    paths = [os.path.join(FOLDER, n)
             for n in part.sample(sorted(os.listdir(FOLDER)), test="fuzz.found")]
    lines = "".join(" ".join([p] + options_of(p)) + "\n" for p in paths)
    out = subprocess.run([sys.argv[1]], input=lines.encode(),
                         stdout=subprocess.PIPE).stdout
    failed = 0
    for path in paths:
        head, _, out = out.partition(b"\n")
        code, length = head.split()
        if int(code) or b"out " not in out[:int(length)]:
            print("%s: exit %d\n%s" % (path, int(code),
                                       out[:int(length)].decode()))
            part.say_failed(os.path.basename(path))
            failed += 1
        out = out[int(length):]
    print("%d programs, %d failures" % (len(paths), failed))
    return failed > 0 or not paths


if __name__ == "__main__":
    sys.exit(main())
