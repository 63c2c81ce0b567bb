#!/usr/bin/env python3
"""Scripts on loops whose dependences have known distances: what has to be refused is.

usage: distances.py CETANE COUNT [SEED]

A nest of two or three loops has one statement, whose instances depend on those at given
distances. What a command makes of a distance is arithmetic, so that the first command that
has to be refused is known beforehand: the one after which a distance is not
lexicographically positive any more, or that gives a loop to blocks or threads with a
distance that no loop outside of it has. It has to be refused in its line, with two instances; a script without such a
command has to compute what the program does, under all checks.

Of COUNT scripts, at least half have to be refused.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import part

SKIPPED = 77
N, TILE, FAR = 14, 4, 2
NAMES = "ijk"


def positive(d):
    """Is the first number of the distance that is not 0 above 0?"""
    return next((x > 0 for x in d if x), False)


def program(r, depth):
    """A nest, and the distances of its dependences, by loop."""
    loops, distances, reads = NAMES[:depth], [], []
    for _ in range(r.randrange(1, 3)):
        d = [r.randrange(-FAR, FAR + 1) for _ in loops]
        if not any(d):
            d[r.randrange(depth)] = 1
        # What is read has been written "d" iterations before.
        d = d if positive(d) else [-x for x in d]
        reads.append("x%s" % "".join("[%s - (%d)]" % (l, x)
                                     for l, x in zip(loops, d)))
        distances.append(d)
    text = "void f(int n, float x%s)\n{\n" % ("[%d]" % (N + 2 * FAR) * depth)
    for i, l in enumerate(loops):
        text += "\t" * (i + 1) + "for (int %s = %d; %s < n + %d; %s++)\n" % (
            l, FAR, l, FAR, l)
    text += "\t" * (depth + 1) + "x%s = %s;\n}\n" % (
        "".join("[%s]" % l for l in loops), " + ".join(reads))
    return text, list(loops), [dict(zip(loops, d)) for d in distances]


def command(r, loops, distances):
    """A command, and loops and distances behind it; None if it has to be refused."""
    a, b = r.sample(loops, 2)
    kind = r.choice(["interchange", "reverse", "skew", "permute", "gpu", "gpu"])
    order, after = list(loops), [dict(d) for d in distances]
    if kind == "interchange":
        i, j = order.index(a), order.index(b)
        order[i], order[j] = b, a
        text = 'interchange("%s", "%s")' % (a, b)
    elif kind == "permute":
        r.shuffle(order)
        text = "permute{%s}" % ", ".join('"%s"' % l for l in order)
    elif kind == "reverse":
        for d in after:
            d[a] = -d[a]
        text = 'reverse("%s")' % a
    elif kind == "skew":
        factor = r.choice([-2, -1, 1, 2])
        for d in after:
            d[a] += factor * d[b]
        text = 'skew("%s", {%s = %d})' % (a, b, factor)
    else:
        role = r.choice(["block", "thread"])
        text = 'gpu{%s = {"%s"}}' % (role, a)
        outside = loops[:loops.index(a)]
        legal = all(d[a] == 0 or any(d[l] for l in outside) for d in distances)
        return text, loops, distances, legal, True
    legal = all(positive([d[l] for l in order]) for d in after)
    return text, order, after, legal, False


def script(r, loops, distances):
    """Lines of commands, and which of them has to be refused, from 1, or 0."""
    lines = []
    for _ in range(r.randrange(1, 6)):
        text, loops, distances, legal, last = command(r, loops, distances)
        lines.append(text)
        if not legal:
            return lines, len(lines)
        if last:
            break
    return lines, 0


def run(cetane, work, text, lines):
    for name, content in (("f.c", text), ("f.lua", "\n".join(lines) + "\n")):
        with open(os.path.join(work, name), "w") as f:
            f.write(content)
    return subprocess.run(
        [cetane, "run", "f.c", "-D", "n=%d" % N, "--schedule=f.lua",
         "--semantics=ring", "--verify=full", "--sanitize=bounds,uninit,race"],
        capture_output=True, text=True, cwd=work)


def judge(done, line):
    """Is "done" what it has to be, if "line" is the one to be refused?"""
    if not line:
        return not done.returncode and "verified" in done.stdout and \
            "not verified" not in done.stdout
    return done.returncode == 1 and "E334" in done.stderr and \
        "E335" in done.stderr and \
        re.search(r"f\.lua:%d:\d+: error\[E333\]" % line, done.stderr)


def main():
    cetane, count = sys.argv[1], int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    failed = refused = 0
    for seed in part.chosen(range(first, first + count)):
        r = random.Random(seed)
        text, loops, distances = program(r, r.choice([2, 2, 3]))
        lines, line = script(r, loops, distances)
        with tempfile.TemporaryDirectory() as work:
            done = run(cetane, work, text, lines)
        if "E337" in done.stderr:
            return SKIPPED
        refused += line > 0
        if not judge(done, line):
            failed += 1
            print("seed %d, line %d is to be refused: exit code %d\n%s%s\n%s%s" % (
                seed, line, done.returncode, text, "\n".join(lines), done.stdout,
                done.stderr))
    print("%d scripts, %d to be refused, %d failed" % (count, refused, failed))
    return failed > 0 or (2 * refused < count and not part.PART)


if __name__ == "__main__":
    sys.exit(main())
