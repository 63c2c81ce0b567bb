#!/usr/bin/env python3
"""The automatic schedule, written as a script and replayed, gives the same PTX.

usage: record.py CETANE FOLDER [--share=N --test=NAME | PROGRAM ..]

Each program of FOLDER that compiles is recorded for sizes that are not known, and for
those of its line in index.txt or, of C, for one number for all of them. The script that
comes out is replayed, and the PTX has to be the same, byte for byte. With --share=N it is
one of N programs, for one of these.
"""
import os
import re
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import part

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
SIZE = 24
ALWAYS = [
    # A product whose rest is cut off and divided: two sums have the name of one.
    ("rest", "programs/mm.c", ["n=3072"], ["--fp=reassoc", "--arch=sm_90a"]),
    # Reductions in tiles, of kernels for which others are chosen than are tried.
    ("folds", "programs/folded.dsl", ["S=2", "M=67", "N=41", "K=9"], []),
    # Texts of so many statements take long to write, and count for nothing.
    ("many", "../programs/many_steps.c", ["n=24"], []),
    # Two products that become one kernel: a block for either keeps them apart.
    ("chained", "programs/chained.dsl", ["N=19"], []),
    ("one", "programs/mm.c", ["n=24"], ["--map=naive"]),
]


def cetane(*args):
    return subprocess.run(args, capture_output=True, text=True)


def read(path):
    with open(path) as f:
        return f.read()


def sizes(compiler, folder, name):
    """The lists of -D words for a program."""
    stem, suffix = os.path.splitext(name)
    line = re.search(r"(?m)^%s: (.*)$" % re.escape(stem),
                     read(os.path.join(folder, "index.txt")))
    if suffix == ".dsl" and line:
        return [[], line[1].split("|")[-1].split()]
    names = re.findall(r"(?m)^param +(\w+)$",
                       cetane(compiler, "check", os.path.join(folder, name)).stdout)
    return [[], ["%s=%d" % (n, SIZE) for n in names]] if names else [[]]


def replay(compiler, path, given, work, more=()):
    """What is wrong; "": nothing, or there is no program for these sizes."""
    words = [w for s in given for w in ("-D", s)] + list(more)
    script = os.path.join(work, "s.lua")
    first = cetane(compiler, "build", path, "--emit=ptx", "-o", "-", *words)
    done = cetane(compiler, "build", path, "--emit=script", "-o", script, *words)
    if first.returncode:
        return ""
    if done.returncode:
        return done.stderr
    again = cetane(compiler, "build", path, "--schedule=" + script, "--emit=ptx",
                   "-o", "-", *(w for w in words if w != "--map=naive"))
    if again.returncode:
        return again.stderr + read(script)
    return "" if again.stdout == first.stdout else "other PTX\n" + read(script)


def main():
    compiler, folder = sys.argv[1:3]
    options = [a for a in sys.argv[3:] if a.startswith("--")]
    names = sorted(f for f in os.listdir(folder) if f.endswith((".c", ".dsl")))
    names = sys.argv[3:] if sys.argv[3:] and not options else part.share(
        names, options)
    n = failed = 0
    with tempfile.TemporaryDirectory() as work:
        for name in names:
            path = os.path.join(folder, name)
            every = sizes(compiler, folder, name)
            if options:
                every = every[zlib.crc32(name.encode()) % len(every):][:1]
            for given in every:
                wrong = replay(compiler, path, given, work)
                if wrong and "E337" in wrong:
                    return SKIPPED
                n += 1
                failed += bool(wrong)
                if wrong:
                    print("%s %s: %s" % (name, " ".join(given), wrong))
        for name, path, *given in part.chosen(ALWAYS, lambda case: case[0]):
            wrong = replay(compiler, os.path.join(HERE, path), given[0], work,
                           given[1])
            n += 1
            failed += bool(wrong)
            if wrong:
                print("%s: %s" % (name, wrong))
                part.say_failed(name)
    print("%d programs, %d failed" % (n, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
