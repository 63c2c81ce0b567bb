#!/usr/bin/env python3
"""What commits that should only move things do beside that.

usage: moves.py COMMIT...

The functions of all files that a commit touches, outside of tests, before it and after it,
as lists of words without "static". One that is there on one side alone is the same but for
names if it differs from one of the other side only where a function, a type or a constant
that was renamed is named. All others are named, and tables, types and macros that are
there on one side alone are printed. A commit of moves alone changes no function.
"""
import collections
import re
import subprocess
import sys

WORD = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|\w+|\S')


def git(*args):
    return subprocess.run(("git",) + args, capture_output=True, text=True,
                          check=True).stdout


def parts(text):
    """The parts of a file: (is a function, words). Prototypes and includes are left out."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    line = r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*"
    for macro in re.findall(line, text):
        if re.match(r"\s*#\s*define\s+\w+\S*\s+\S", macro):
            yield False, tuple(WORD.findall(macro))
    depth, words = 0, []
    for word in WORD.findall(re.sub(line, "", text)):
        words.append(word)
        depth += (word in "({[") - (word in ")}]")
        if depth or word not in (";", "}"):
            continue
        head = words[:words.index("{")] if "{" in words else words
        is_function = word == "}" and "(" in head and "=" not in head
        if word == ";" or is_function:
            if is_function or "(" not in head or "=" in head:
                yield is_function, tuple(w for w in words if w not in
                                         ("static", "inline", "extern"))
            words = []


def name_of(function):
    at = function.index("(")
    while function[at - 1].startswith("__isl"):
        at = function.index("(", at + 1)
    return function[at - 1]


def two_sides(commit):
    """Functions and others, before and after."""
    sides = []
    files = git("diff-tree", "-r", "--no-commit-id", "--name-only", "--no-renames",
                commit).split()
    for at in (commit + "^", commit):
        there = set(git("ls-tree", "-r", "--name-only", at).split("\n"))
        side = {True: collections.Counter(), False: collections.Counter()}
        for path in files:
            if path in there and path.endswith((".c", ".h", ".def")) and \
                    not path.startswith("tests/"):
                for is_function, words in parts(git("show", "%s:%s" % (at, path))):
                    side[is_function][words] += 1
        sides.append(side)
    return sides


def differences(old, new):
    """The pairs of words in which they differ; None if they differ otherwise."""
    pairs = {p for p in zip(old, new) if p[0] != p[1]}
    named = all(re.match(r"[A-Za-z_]", word) for p in pairs for word in p)
    return pairs if named and len(old) == len(new) else None


def match(gone, come):
    """Pairs that are the same but for names, those with the fewest names first; what is left
    of "gone"; and the names.
    """
    found = []
    for a, old in enumerate(gone):
        for b, new in enumerate(come):
            pairs = differences(old, new) if len(old) == len(new) else None
            if pairs is not None:
                found.append((len(pairs), a, b, pairs))
    left, free, names = set(range(len(gone))), set(range(len(come))), set()
    for _, a, b, pairs in sorted(found, key=lambda f: f[:3]):
        if a in left and b in free:
            left.remove(a)
            free.remove(b)
            names |= pairs
    return [gone[a] for a in sorted(left)], [come[b] for b in sorted(free)], names


def main():
    for commit in sys.argv[1:]:
        old, new = two_sides(commit)
        gone = list((old[True] - new[True]).elements())
        come = list((new[True] - old[True]).elements())
        left, more, names = match(gone, come)
        n = sum(old[True].values())
        print(git("show", "-s", "--format=%h %s", commit).strip())
        print("  functions: %d, then %d; %d the same, %d but for %d names" % (
            n, sum(new[True].values()), n - len(gone), len(gone) - len(left),
            len(names)))
        for word, functions in (("changed or gone", left), ("changed or new", more)):
            if functions:
                print("  %s: %s" % (word, " ".join(map(name_of, functions))))
        for sign, words in (("-", old[False] - new[False]), ("+", new[False] - old[False])):
            for w in words:
                print("  %s %s" % (sign, " ".join(w)[:90]))


if __name__ == "__main__":
    main()
