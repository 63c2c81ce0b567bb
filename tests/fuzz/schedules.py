#!/usr/bin/env python3
"""Many schedule scripts: random ones on random programs, mutations, and recorded ones.

usage: schedules.py CETANE [--pairs=SCRIPTS:PROGRAMS] [--most=N] [--mutations=N]
             [--record] [--seed=N] [--jobs=N] [--seconds=S]

--pairs runs random scripts (tests/script/random_scripts.py), each of which is made of
commands that are legal where it is tried, on random programs: at most N of all pairs of a
script and a program, chosen so that each script and each program has its share.
--mutations changes accepted scripts (tests/script/mutations.py). What is accepted is
verified on the host device with all checks, in the ring; what is refused says why.
--record replays the automatic schedule of all programs of tests/programs
(tests/script/record.py).

A failure is printed with its seeds. After --seconds no case begins; the last lines
count the cases.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(TESTS, "script"))
import mutations
import random_scripts
import record
import scripts as cases_of

# Of a case: a crash, or what goes on without end, is a failure.
SECONDS = 120


class Count:
    """What came of the cases of a kind, and the end of the time that there is."""

    def __init__(self, kind, end):
        self.kind, self.end = kind, end
        self.n = collections.Counter()
        self.seen = collections.defaultdict(set)

    def add(self, case, outcome, legal, wrong):
        self.n[outcome] += 1
        self.n["legal"] += legal
        if outcome == "right" and isinstance(case, tuple):
            for i, word in enumerate(case):
                self.seen[i].add(word)
        if wrong:
            print("%s %s:\n%s" % (self.kind, case, wrong), flush=True)

    def say(self):
        cases = sum(self.n[o] for o in ("right", "refused", "failed"))
        print("%s: %d cases, %d right%s, %d refused, %d failed" % (
            self.kind, cases, self.n["right"], "".join(
                ", of %d %s" % (len(self.seen[i]), name)
                for i, name in enumerate(("scripts", "programs"))
                if self.seen[i]), self.n["refused"], self.n["failed"]) +
            (", %d commands accepted" % self.n["legal"] if self.n["legal"] else ""),
            flush=True)
        return self.n["failed"]


def pair(cetane, case):
    """A random script on a random program, by their seeds."""
    script, program = case
    text = random_scripts.program(random.Random("program %d" % program))
    commands = random_scripts.script(random.Random("script %d" % script))
    with tempfile.TemporaryDirectory() as work:
        done = random_scripts.run(cetane, work, text, commands)
    outcome, legal = random_scripts.judge(done)
    return outcome, legal, outcome == "failed" and text + commands + done.stdout + \
        done.stderr


def mutation(cetane, seed):
    head, script, done = mutations.mutate(cetane, seed)
    outcome = mutations.judge(done)
    return outcome, 0, outcome == "failed" and "%s, exit code %d\n%s%s%s" % (
        head, done.returncode, script, done.stdout, done.stderr)


def replayed(cetane, case):
    name, given = case
    with tempfile.TemporaryDirectory() as work:
        wrong = record.replay(cetane, os.path.join(TESTS, "programs", name),
                              given.split(), work)
    return "failed" if wrong else "right", 0, wrong


def recorded(cetane):
    folder = os.path.join(TESTS, "programs")
    for name in sorted(os.listdir(folder)):
        if name.endswith((".c", ".dsl")):
            for given in record.sizes(cetane, folder, name):
                yield name, " ".join(given)


def work_off(cetane, count, judge, cases, jobs):
    """Judge the cases as long as there is time, and count."""
    def one(case):
        if time.monotonic() >= count.end:
            return case, None
        try:
            return case, judge(cetane, case)
        except Exception as e:
            return case, ("failed", 0, repr(e))

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for case, outcome in pool.map(one, cases):
            if outcome:
                count.add(case, *outcome)
    return count.say()


def pairs(r, n_script, n_program, most):
    """Pairs of seeds: all scripts in turn, each with another program each time."""
    programs = list(range(n_program))
    r.shuffle(programs)
    return [(s, programs[(s + turn) % n_program]) for turn in range(n_program)
            for s in range(n_script)][:most]


def main():
    p = argparse.ArgumentParser(add_help=False)
    p.add_argument("cetane")
    p.add_argument("--pairs", default="0:1")
    p.add_argument("--most", type=int, default=1 << 30)
    p.add_argument("--mutations", type=int, default=0)
    p.add_argument("--record", action="store_true")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--seconds", type=float, default=1e9)
    a = p.parse_args()
    a.cetane = os.path.abspath(a.cetane)
    if not cases_of.has_lua(a.cetane):
        return cases_of.SKIPPED
    n_script, n_program = (int(n) for n in a.pairs.split(":"))
    kinds = []
    if a.mutations:
        kinds.append(("mutations", mutation, range(a.seed, a.seed + a.mutations)))
    if a.record:
        kinds.append(("recorded", replayed, list(recorded(a.cetane))))
    if n_script:
        first = 100000 * (a.seed - 1)
        kinds.append(("pairs", pair, [(first + s, first + q) for s, q in pairs(
            random.Random(a.seed), n_script, n_program, a.most)]))
    end, failed = time.monotonic() + a.seconds, 0
    for kind, judge, cases in kinds:
        failed += work_off(a.cetane, Count(kind, end), judge, cases, a.jobs)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
