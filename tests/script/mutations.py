#!/usr/bin/env python3
"""Mutations of scripts that are accepted: each is refused, or right.

usage: mutations.py CETANE accept.test COUNT [SEED]

A mutation drops a line, exchanges two, or changes a number or a name in one. What is
accepted is verified against the interpreter, in the ring, with all checks of the host
device; a refusal is an error about the script, with exit status 1.
"""
import functools
import os
import random
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import scripts
part = scripts.part


def mutated(r, text):
    """The script with one change, of which another may be made."""
    lines = text.split("\n")[:-1]
    i = r.randrange(len(lines))
    kind = r.randrange(4)
    numbers = list(re.finditer(r"(?<![\w.])\d+(?![\w.])", lines[i]))
    names = list(re.finditer(r'"[a-z]\w*"', lines[i]))
    if kind == 0 and len(lines) > 1:
        del lines[i]
    elif kind == 1 and i + 1 < len(lines):
        lines[i], lines[i + 1] = lines[i + 1], lines[i]
    elif kind == 2 and numbers:
        m = r.choice(numbers)
        n = r.choice([0, 1, 2, 3, 5, int(m[0]) + 1, 2 * int(m[0])])
        lines[i] = lines[i][:m.start()] + str(n) + lines[i][m.end():]
    elif names:
        m = r.choice(names)
        other = r.choice(re.findall(r'"[a-z]\w*"', text))
        lines[i] = lines[i][:m.start()] + other + lines[i][m.end():]
    return "".join(line + "\n" for line in lines)


@functools.lru_cache(4)
def cases(path):
    """The accepted cases that run: those with sizes."""
    return [c for c in scripts.cases(path)
            if any("=" in w and w[0] != "-" for w in c[0].split())]


def mutate(cetane, seed, path=os.path.join(HERE, "accept.test")):
    """The head and the script of mutation "seed", and what came of it."""
    r = random.Random(seed)
    head, script, _ = r.choice(cases(path))
    for _ in range(r.randrange(1, 3)):
        script = mutated(r, script)
    return head, script, scripts.run(cetane, os.path.join(
        os.path.dirname(os.path.abspath(path)), "programs"), head, script, "run",
        *scripts.CHECKS)


def judge(done):
    """"right", "refused", or "failed"."""
    if done.returncode == 0 and "verified" in done.stdout and \
            "not verified" not in done.stdout:
        return "right"
    code = 2 if "[E610]" in done.stderr else 1
    return "refused" if done.returncode == code and re.search(
        r"\[E33[1-6]\]|\[E610\]", done.stderr) else "failed"


def main():
    cetane, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    if not scripts.has_lua(cetane):
        return scripts.SKIPPED
    accepted = failed = 0
    for seed in part.chosen(range(first, first + count)):
        head, script, done = mutate(cetane, seed, path)
        outcome = judge(done)
        accepted += outcome == "right"
        if outcome == "failed":
            failed += 1
            print("seed %d: %s, exit code %d\n%s\n%s%s" % (
                seed, head, done.returncode, script, done.stdout, done.stderr))
    print("%d mutations, %d accepted and right, %d failed" % (count, accepted, failed))
    return failed > 0 or (4 * accepted < count and not part.PART)


if __name__ == "__main__":
    sys.exit(main())
