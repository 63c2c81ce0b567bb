#!/usr/bin/env python3
"""Random programs in all ways that they can run, compared.

usage: differential.py DIFFER [--kind=KIND] [--seed=N]
           [--count=N] [--seconds=S] [--jobs=N] [--log=FILE] [--device=cuda]

Each seed stands for a loop nest in C (c_nests.py) and a program in index
notation (index_notation.py), which are both, for a loop with long chains of
operations (c_values.py), for loops whose values go from one iteration to the next
(c_forms.py), for a row program (row_programs.py), for recurrences
(scan_programs.py), for positions that are data (position_programs.py), and for rows
whose bounds are data, in C (csr_programs.py) and in index notation
(sparse_programs.py). DIFFER, the program fuzz_differ, runs it on the host device with all checks, or on the one
named, in several orders of threads, compares it with the interpreter, and in the
ring with one thread in the original order. C nests under --fp=strict --no-contract must give the bits that
the system's compiler gives (reference.h), if there is one; where it gives others
without optimisation, and these are ours, that is told apart. Programs that the
front end refuses are counted, and those that take too long, with what; a launch
that takes too long is a failure, as the programs are small.

A failure is printed with its seed and options, made smaller as long as it
fails alike and time remains. Now and then a line says how far it is. After
--seconds, or SIGTERM, what still runs is killed, and the last line says what
became of all programs.
"""
import argparse
import collections
import concurrent.futures
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import c_forms
import c_nests
import c_values
import csr_programs
import index_notation
import position_programs
import row_programs
import scan_programs
import shrinking
import sparse_programs

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import part

HERE = os.path.dirname(os.path.abspath(__file__))
CC = ["cc", "-O1", "-ffp-contract=off", "-fno-builtin", "-fwrapv", "-w",
      "-I" + HERE]
KINDS = {"c": (c_nests, ".i"), "index": (index_notation, ".dsl"),
         "values": (c_values, ".i"), "forms": (c_forms, ".i"),
         "rows": (row_programs, ".dsl"),
         "scans": (scan_programs, ".dsl"),
         "positions": (position_programs, ".dsl"),
         "csr": (csr_programs, ".i"),
         "sparse": (sparse_programs, ".dsl")}
BOTH = ["c", "index"]
EXACT = ["--fp=strict", "--no-contract"]
TRAPS = ["-fsanitize=float-cast-overflow",
         "-fsanitize-undefined-trap-on-error"]
BATCH = 40
HANGS = 98
PROGRESS = 10   # seconds between two lines


class Late(Exception):
    """Time is up."""


class Clock:
    """The time that remains, for all jobs."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds
        self.lock = threading.Lock()
        self.running = set()

    def left(self):
        return self.end - time.monotonic()

    def watch(self, process, on):
        with self.lock:
            (self.running.add if on else self.running.discard)(process)
            if on and self.left() <= 0:
                process.kill()

    def stop(self):
        """The end is now. Called by a signal handler, which may find the lock
        taken.
        """
        self.end = 0
        for process in list(self.running):
            process.kill()


class Differ:
    """A process that works off one program after another; another one takes
    its place when it ends, and after each failure, which may have broken the
    device for it.
    """

    def __init__(self, path, device, clock, limit):
        self.words = [path] + (["--device=" + device] if device else [])
        self.clock, self.limit = clock, limit
        self.process = None

    def start(self):
        self.close()
        if self.clock.left() <= 0:
            raise Late
        self.process = subprocess.Popen(
            self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.clock.watch(self.process, True)

    def close(self):
        if not self.process:
            return
        self.clock.watch(self.process, False)
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
        self.process.wait()
        self.process = None

    def ask(self, line):
        """The answer: (code, text); None if the process has ended."""
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        words = self.process.stdout.readline().split()
        if len(words) != 2:
            return None
        said = self.process.stdout.read(int(words[1]))
        return int(words[0]), said.decode(errors="replace")

    def run(self, path, options, program):
        """(code, text); what has not answered within the limit is killed."""
        line = " ".join([path] + options + program.defines()) + "\n"
        if not self.process:
            self.start()
        process = self.process
        timer = threading.Timer(max(0, min(self.limit, self.clock.left())),
                                process.kill)
        began = time.monotonic()
        timer.start()
        answer = self.ask(line.encode())
        timer.cancel()
        if not answer or answer[0] not in (0, 1):
            self.close()
        if answer:
            return answer
        if self.clock.left() <= 0:
            raise Late
        if time.monotonic() - began >= self.limit:
            return HANGS, "no answer in %g seconds\n" % self.limit
        return 128 - process.returncode, "fuzz_differ has ended\n"


def choose_options(kind, seed):
    r = random.Random("options %s %d" % (kind, seed))
    options = ["--host-seed=%d" % r.randrange(1, 1000)]
    roll = r.random()
    if roll < (.6 if KINDS[kind][1] == ".i" else .2):
        options += EXACT
    elif roll < .85:
        options.append("--fp=reassoc")
    else:
        options.append("--fp=relaxed")
    # Of open sizes, cells own what floats are added at positions, however few.
    if r.random() < (.3 if kind == "positions" else .1):
        options.append("--parametric")
    if r.random() < .05:
        options.append("--roundtrip")
    if r.random() < .4:
        options.append("CETANE_DEBUG=" + r.choice(
            ["helped"] if kind in ("csr", "sparse") else
            ["block", "block", "block", "together,few", "launches"]))
    return options


def execute(words, clock):
    """What the command prints. It is killed when time is up; only what fails
    before is a failure.
    """
    if clock.left() <= 0:
        raise Late
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    clock.watch(process, True)
    try:
        said = process.communicate(timeout=min(clock.left(), 1e6))[0]
    except subprocess.TimeoutExpired:
        process.kill()
        said = process.communicate()[0]
    clock.watch(process, False)
    if process.returncode and clock.left() <= 0:
        raise Late
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words, said)
    return said


def references(programs, folder, clock, more=()):
    """Lines about the arrays of C programs, by the system's compiler, with
    "more" options; None for each if there is none.
    """
    if not shutil.which(CC[0]):
        return [None] * len(programs)
    source = os.path.join(folder, "reference.c")
    names = ["p%d" % i for i in range(len(programs))]
    with open(source, "w") as f:
        f.write('#include "reference.h"\n')
        for name, p in zip(names, programs):
            f.write(p.text(name) + p.caller(name))
        f.write("int main(void)\n{\n%s\n\treturn 0;\n}\n" % "\n".join(
            "\trun_%s();" % n for n in names))
    binary = os.path.join(folder, "reference")
    execute(CC + list(more) + [source, "-o", binary, "-lm"], clock)
    lines = collections.defaultdict(dict)
    # Local arrays of a program may take more than the usual stack.
    large = ["sh", "-c", "ulimit -s $(ulimit -Hs) || :; exec \"$0\"", binary]
    for line in execute(large, clock).splitlines():
        name, array, count, code = line.split()
        lines[name][array] = (count, code)
    return [lines[n] for n in names]


def is_undefined(program, folder, clock):
    """Does the C program make an integer of a float that is out of its range?
    C does not say what that gives.
    """
    try:
        references([program], folder, clock, TRAPS)
    except subprocess.CalledProcessError as e:
        return e.returncode < 0 or e.returncode > 128
    return False


def complaint(options, code, said, expected):
    """Why the program failed: a word to tell failures apart by, and all that
    was said; None if it did not; "refused".
    """
    if code == 1 and "error[E0" not in said:
        return "refused", said
    if code == 4:
        return "slow", said
    if code == HANGS:
        return "hangs", said
    if code:
        by = re.search(r"as (.*) says", said)
        number = re.search(r"error\[(E\d+)\]", said)
        return "%d %s" % (code, by.group(1) if by else number.group(1)
                          if number else ""), said
    if expected is not None and "--no-contract" in options:
        for array, count, bits in re.findall(r"(?m)^out (\S+) (\d+) (\w+)$",
                                             said):
            if expected[array] != (count, bits):
                return "cc", "%s is not what cc computes" % array
    return None


class Trial:
    """Programs of one kind, one after another, in a folder of their own."""

    def __init__(self, runner, kind, folder):
        self.runner, self.kind = runner, kind
        self.folder = folder

    def run(self, program, options, expected):
        path = os.path.join(self.folder, "random" + KINDS[self.kind][1])
        with open(path, "w") as f:
            f.write(program.text())
        code, said = self.runner.run(path, options, program)
        why = complaint(options, code, said, expected)
        if why and why[0] == "cc" and complaint(
                options, code, said, references(
                    [program], self.folder, self.runner.clock, ["-O0"])[0]
                ) is None:
            why = "disputed", "cc without optimisation disagrees with cc"
        elif why and why[0] == "cc" and is_undefined(
                program, self.folder, self.runner.clock):
            why = "disputed", "C does not say what it computes"
        return why

    def fails_as(self, options, word):
        def fails(program):
            expected = None
            if word == "cc":
                try:
                    expected = references([program], self.folder,
                                          self.runner.clock)[0]
                except subprocess.CalledProcessError:
                    return False
            why = self.run(program, options, expected)
            return why is not None and why[0] == word
        return fails

    def smaller(self, program, options, word):
        """The smallest program found that fails alike in the time left."""
        best = [program]

        def fails(candidate):
            if not self.fails_as(options, word)(candidate):
                return False
            best[0] = candidate
            return True
        try:
            shrinking.shrink(program, fails)
        except Late:
            pass
        return best[0]

    def batch(self, seeds):
        """(seed, program, options, complaint) of each."""
        programs = (KINDS[self.kind][0].make(s) for s in seeds)
        expected = [None] * len(seeds)
        if KINDS[self.kind][1] == ".i":
            programs = list(programs)
            expected = references(programs, self.folder, self.runner.clock)
        for seed, program, e in zip(seeds, programs, expected):
            options = choose_options(self.kind, seed)
            yield seed, program, options, self.run(program, options, e)


def describe(kind, seed, program, options, why):
    return "%s seed %d, %s: %s\n%s%s\n" % (
        kind, seed, " ".join(options + program.defines()), why[0],
        why[1], program.text())


class Counter:
    """What became of all programs, told by several threads."""

    def __init__(self, log):
        self.lock = threading.Lock()
        self.ran = collections.Counter()
        self.refused = collections.Counter()
        self.slow = collections.defaultdict(collections.Counter)
        self.failed = collections.Counter()
        self.disputed = collections.Counter()
        self.log = log
        self.last, self.began = {}, time.monotonic()
        self.late = None
        self.told = self.began

    def say(self, text):
        print(text, flush=True)
        if self.log:
            with open(self.log, "a") as f:
                f.write(text + "\n")

    def count(self, kind, seed, why):
        with self.lock:
            self.ran[kind] += 1
            self.last[kind] = max(seed, self.last.get(kind, seed))
            if why and why[0] == "refused":
                self.refused[kind] += 1
            elif why and why[0] == "disputed":
                self.disputed[kind] += 1
            elif why and why[0] == "slow":
                self.slow[kind][why[1].strip().split("\n")[-1]] += 1
            elif why:
                self.failed[kind] += 1
            now = time.monotonic()
            if now - self.told >= PROGRESS:
                self.told = now
                self.say("%.0f s, up to seed %d: %s" % (
                    now - self.began, max(self.last.values()),
                    self.summary()))

    def summary_of(self, kind):
        slow = self.slow[kind]
        n_slow = sum(slow.values())
        text = "%s: %d ran, %d failed, %d were refused, %d took too long" % (
            kind, self.ran[kind] - self.refused[kind] - n_slow,
            self.failed[kind], self.refused[kind], n_slow)
        what = ", ".join("%d %s" % (slow[w], w) for w in sorted(slow))
        text += " (%s)" % what if what else ""
        if self.disputed[kind]:
            text += ", %d that C leaves open" % self.disputed[kind]
        return text

    def time_is_up(self):
        """Some programs were left out."""
        with self.lock:
            self.late = time.monotonic() - self.began

    def summary(self):
        text = "; ".join(self.summary_of(k)
                         for k in sorted(self.ran)) or "none ran"
        return text + ("" if self.late is None else
                       "; time was up after %.0f s" % self.late)


def judge(args, trial, counter, result):
    """Count and tell what became of one program."""
    seed, program, options, why = result
    counter.count(trial.kind, seed, why)
    if not why:
        return
    if why[0] in ("refused", "slow"):
        if args.verbose:
            counter.say(describe(trial.kind, *result))
        elif why[0] == "slow":
            counter.say("%s seed %d takes too long: %s" % (
                trial.kind, seed, why[1].strip()))
        return
    if why[0] == "disputed":
        counter.say(describe(trial.kind, *result))
        return
    if not args.no_shrink:
        counter.say("%s seed %d fails: %s" % (trial.kind, seed, why[0]))
        program = trial.smaller(program, options, why[0])
    counter.say(describe(trial.kind, seed, program, options, why))
    part.say_failed("%s.%d" % (trial.kind, seed))


def work(args, batches, counter, clock):
    runner = Differ(args.program, args.device, clock, args.limit)
    with tempfile.TemporaryDirectory(dir=args.scratch) as folder:
        try:
            while clock.left() > 0:
                kind, seeds = batches.get_nowait()
                trial = Trial(runner, kind, folder)
                for result in trial.batch(seeds):
                    judge(args, trial, counter, result)
            if not batches.empty():
                counter.time_is_up()
        except Late:
            counter.time_is_up()
        except queue.Empty:
            pass
        finally:
            runner.close()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("program")
    p.add_argument("--kind", default="both")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=20)
    p.add_argument("--seconds", type=float, default=1e9)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--device")
    p.add_argument("--limit", type=float, default=3600,
                   help="seconds after which one program hangs, even if other "
                   "processes have the processors")
    p.add_argument("--log")
    p.add_argument("--no-shrink", action="store_true")
    p.add_argument("--verbose", action="store_true")
    args = p.parse_args()
    # One program alone, or all of a suite that has been broken on purpose.
    args.no_shrink |= part.PART is not None
    if part.PART:
        args.kind, args.seed, args.count = *part.PART.split("."), 1
        args.seed = int(args.seed)
    kinds = BOTH if args.kind == "both" else [args.kind]
    args.program = os.path.abspath(args.program)
    args.scratch = "/dev/shm" if os.path.isdir("/dev/shm") else None
    batches, last = queue.Queue(), args.seed + args.count
    for start in range(args.seed, last, BATCH):
        for kind in kinds:
            batches.put((kind, range(start, min(start + BATCH, last))))
    counter, clock = Counter(args.log), Clock(args.seconds)
    signal.signal(signal.SIGTERM, lambda *_: clock.stop())
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        jobs = [pool.submit(work, args, batches, counter, clock)
                for _ in range(args.jobs)]
        # A signal that arrives just before this thread waits is seen when it wakes.
        while concurrent.futures.wait(jobs, timeout=1).not_done:
            pass
        for job in jobs:
            job.result()
    counter.say(counter.summary())
    return 1 if counter.failed else 0


if __name__ == "__main__":
    sys.exit(main())
