#!/usr/bin/env python3
"""Each promise of frontend/README.md has a program.

usage: promises.py CETANE README [--ctest=CTEST --build=FOLDER] [TABLE...]

A table is a Python file beside this one with three lists. PROMISES has words of
the README and the programs that show that they are true (programs.py). NOTHING
has words that say nothing about what a program does. ELSEWHERE has words and
the ctest test that shows them. All words must be in the README as they are
quoted, up to white space; " ..." at their end stands for the rest of a block.
Together the tables must quote every sentence of the README, row of a table and
block of code. What programs give is compared with Python's arithmetic, or with
what the system's C compiler makes of a function.
"""
import argparse
import concurrent.futures
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib

import programs

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import part  # noqa: E402

TABLES = ["matrix", "index", "drawn", "values", "outside", "nests", "affine", "calls",
          "about"]


def plain(text):
    return " ".join(text.split())


def blocks(text):
    """The paragraphs, items of lists, rows of tables and blocks of code."""
    found, code = [], None
    for line in text.splitlines():
        if line.startswith("```"):
            if code is not None:
                found.append("\n".join(code))
            code = [] if code is None else None
            found.append("")
        elif code is not None:
            code.append(line)
        elif not line.strip() or line.startswith("#") or re.match(
                r"^[| :-]+$", line):
            found.append("")
        elif re.match(r"(- |\d+\. |\|)", line) or not found[-1:] or \
                found[-1] == "" or line.startswith("|"):
            found.append(line)
        else:
            found[-1] += "\n" + line
    return [plain(b) for b in found if b]


def sentences(block):
    """(first, end) of each sentence of a block; names of code end none."""
    masked = re.sub(r"`[^`]*`", lambda m: "x" * len(m[0]), block)
    if masked.startswith("|"):
        return [(0, len(block))]
    ends = [m.end() for m in re.finditer(r"[.:](?:\*\*)? (?=[A-Z*x])",
                                         masked)] + [len(block)]
    return list(zip([0] + ends[:-1], ends))


class Coverage:
    """Which characters of the README are quoted."""

    def __init__(self, text):
        self.blocks = blocks(text)
        self.seen = [[False] * len(b) for b in self.blocks]

    def quote(self, words):
        """Whether the README has the words; they are noted."""
        words, found = plain(words), False
        start = words.removesuffix(" ...")
        for block, seen in zip(self.blocks, self.seen):
            at = block.find(start)
            while at >= 0:
                found = True
                end = at + len(words) if start == words else len(block)
                seen[at:end] = [True] * (end - at)
                at = block.find(start, at + 1)
        return found

    def missing(self):
        """The sentences that have words which nobody quotes."""
        for block, seen in zip(self.blocks, self.seen):
            for first, end in sentences(block):
                text = block[first:end]
                if re.fullmatch(r"(- )?\*\*[^*]*\*\*:? *|\d+\. ", text):
                    continue
                if any(c.isalnum() and not s
                       for c, s in zip(text, seen[first:end])):
                    yield text


def tests_of(args):
    """The names of the tests of a build; None if none is given."""
    if not args.build:
        return None
    out = subprocess.run([args.ctest, "--show-only=json-v1"], check=True,
                         cwd=args.build, capture_output=True, text=True)
    return {t["name"] for t in json.loads(out.stdout)["tests"]}


def check_words(tables, args):
    """What is wrong with the words: quotations that are none, sentences without
    a program, tests that do not exist.
    """
    with open(args.readme) as f:
        cover = Coverage(f.read())
    tests = tests_of(args)
    for table in tables:
        for words in [w for w, *_ in table.PROMISES] + table.NOTHING + [
                w for w, _ in table.ELSEWHERE]:
            if not cover.quote(words):
                yield "%s: the README does not say:\n    %s" % (
                    table.__name__, plain(words))
        for words, *shown in table.PROMISES:
            if not shown:
                yield "%s: no program:\n    %s" % (table.__name__,
                                                   plain(words))
        for _, test in table.ELSEWHERE:
            if tests is not None and test not in tests:
                yield "%s: there is no test %s" % (table.__name__, test)
    if len(tables) == len(TABLES):
        for text in cover.missing():
            yield "no program shows:\n    %s" % text


def name_of(table, words, n):
    """What a program is called as a part of the test: its table may be named, too."""
    return "%s.%08x.%d" % (table, zlib.crc32(plain(words).encode()), n + 1)


def try_program(job):
    """How many commands one program ran, what is wrong with it, or None, and its name."""
    cetane, table, words, n, program = job
    name = name_of(*job[1:4])
    with tempfile.TemporaryDirectory() as folder:
        bench = programs.Bench(cetane, folder)
        try:
            program(bench)
        except (programs.Wrong, ValueError, OSError,
                subprocess.SubprocessError) as e:
            return bench.count, "%s: program %d of\n    %s\n%s" % (
                table, n + 1, plain(words), e), name
        return bench.count, None, name


def check_programs(tables, cetane):
    """(number of commands, what is wrong or None, name) for each program."""
    jobs = [(cetane, table.__name__, words, n, program) for table in tables
            for words, *shown in table.PROMISES
            for n, program in enumerate(shown)
            if part.is_chosen(table.__name__) or
            part.is_chosen(name_of(table.__name__, words, n))]
    tried = []
    with concurrent.futures.ThreadPoolExecutor(
            len(os.sched_getaffinity(0))) as pool:
        for one in pool.map(try_program, jobs):
            tried.append(one)
            if one[1]:
                print(one[1])
                part.say_failed(one[2])
    return tried


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cetane", type=os.path.abspath)
    parser.add_argument("readme")
    parser.add_argument("table", nargs="*")
    parser.add_argument("--ctest", default="ctest")
    parser.add_argument("--build")
    args = parser.parse_args()
    sys.path.insert(0, HERE)
    tables = [importlib.import_module(n) for n in args.table or TABLES]
    wrong = list(check_words(tables, args))
    for text in wrong:
        print(text)
    tried = check_programs(tables, args.cetane)
    said = [text for _, text, _ in tried if text]
    print("%d promises, %d programs, %d commands, %d wrong" % (
        sum(len(t.PROMISES) for t in tables), len(tried),
        sum(n for n, *_ in tried), len(wrong) + len(said)))
    return bool(wrong or said)


if __name__ == "__main__":
    sys.exit(main())
