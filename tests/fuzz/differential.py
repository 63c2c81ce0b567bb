#!/usr/bin/env python3
"""Random programs in all ways that they can run, compared.

usage: differential.py DIFFER [--kind=c|index|both] [--seed=N] [--count=N]
           [--seconds=S] [--jobs=N] [--log=FILE]
       differential.py CETANE --device=cuda ...

Each seed stands for a loop nest in C (c_nests.py) and a program in index
notation (index_notation.py). DIFFER, the program fuzz_differ, runs it on the
host device with all checks in several orders of threads, compares it with the
interpreter, and in the ring with one thread in the original order. C nests
under --fp=strict --no-contract must give the bits that the system's compiler
gives (reference.h). With --device the command "cetane" runs and verifies the
program there. Programs that the front end refuses are counted, and those that
take too long.

A failure is printed with its seed and options, made smaller as long as it
fails alike.
"""
import argparse
import collections
import concurrent.futures
import os
import queue
import random
import re
import struct
import subprocess
import sys
import tempfile
import threading
import time

import c_nests
import index_notation
import shrinking

HERE = os.path.dirname(os.path.abspath(__file__))
CC = ["cc", "-O1", "-ffp-contract=off", "-fno-builtin", "-fwrapv", "-w",
      "-I" + HERE]
KINDS = {"c": (c_nests, ".i"), "index": (index_notation, ".dsl")}
EXACT = ["--fp=strict", "--no-contract"]
BATCH = 40


class Differ:
    """A process that works off one program after another."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def run(self, path, options, program):
        line = " ".join([path] + options + program.defines()) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        code, length = self.process.stdout.readline().split()
        said = self.process.stdout.read(int(length))
        return int(code), said.decode(errors="replace")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Command:
    """The command "cetane run" for a device: once verified, with the outputs
    of C nests in files, once in the ring.
    """

    def __init__(self, path, device):
        self.words = [path, "run", "--device=" + device, "--crash-dir=/tmp"]

    def run(self, path, options, program):
        options = [o for o in options if not o.startswith("--host-seed")]
        folder = os.path.dirname(path)
        outputs = []
        if path.endswith(".i"):
            outputs = [n for n in program.params() if n in program.written()]
            outputs += ["result"] if program.returns else []
        files = {n: os.path.join(folder, n + ".npy") for n in outputs}
        line = self.words + [path] + options + program.defines()
        p = subprocess.run(line + ["--verify=full"] + [
            "-o%s=%s" % item for item in files.items()], text=True,
            capture_output=True)
        if p.returncode:
            return p.returncode, p.stdout + p.stderr
        said = p.stdout + p.stderr + "".join(
            "out %s %s\n" % (n, hash_npy(f)) for n, f in files.items())
        p = subprocess.run(line + ["--semantics=ring"], text=True,
                           capture_output=True)
        return p.returncode, said + p.stdout + p.stderr

    def close(self):
        pass


def hash_npy(path):
    """Number of elements and hash, as reference.h prints them."""
    with open(path, "rb") as f:
        data = f.read()
    start = 10 + int.from_bytes(data[8:10], "little")
    kind = re.search(rb"descr': '.(\w)(\d)'", data[:start])
    size, data = int(kind.group(2)), data[start:]
    code = 0xcbf29ce484222325
    for i in range(0, len(data), size):
        piece = data[i:i + size]
        if kind.group(1) == b"f":
            x, = struct.unpack("<f" if size == 4 else "<d", piece)
            piece = b"nan" if x != x else piece
        for byte in piece:
            code = (code ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return "%d %016x" % (len(data) // size, code)


def choose_options(kind, seed):
    r = random.Random("options %s %d" % (kind, seed))
    options = ["--host-seed=%d" % r.randrange(1, 1000)]
    roll = r.random()
    if roll < (.6 if kind == "c" else .2):
        options += EXACT
    elif roll < .85:
        options.append("--fp=reassoc")
    else:
        options.append("--fp=relaxed")
    if r.random() < .1:
        options.append("--parametric")
    if r.random() < .05:
        options.append("--roundtrip")
    return options


def references(programs, folder):
    """Lines about the arrays of C programs, by the system's compiler."""
    source = os.path.join(folder, "reference.c")
    names = ["p%d" % i for i in range(len(programs))]
    with open(source, "w") as f:
        f.write('#include "reference.h"\n')
        for name, p in zip(names, programs):
            f.write(p.text(name) + p.caller(name))
        f.write("int main(void)\n{\n%s\n\treturn 0;\n}\n" % "\n".join(
            "\trun_%s();" % n for n in names))
    binary = os.path.join(folder, "reference")
    subprocess.run(CC + [source, "-o", binary, "-lm"], check=True)
    out = subprocess.run([binary], capture_output=True, text=True, check=True)
    lines = collections.defaultdict(dict)
    for line in out.stdout.splitlines():
        name, array, count, code = line.split()
        lines[name][array] = (count, code)
    return [lines[n] for n in names]


def complaint(options, code, said, expected):
    """Why the program failed: a word to tell failures apart by, and all that
    was said; None if it did not; "refused".
    """
    if code == 1 and "error[E0" not in said:
        return "refused", said
    if code == 4:
        return "slow", said
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
    """Programs of one kind, one after another, in a folder of its own."""

    def __init__(self, runner, kind, folder):
        self.runner, self.kind = runner, kind
        self.folder = folder

    def run(self, program, options, expected):
        path = os.path.join(self.folder, "random" + KINDS[self.kind][1])
        with open(path, "w") as f:
            f.write(program.text())
        code, said = self.runner.run(path, options, program)
        return complaint(options, code, said, expected)

    def fails_as(self, options, word):
        def fails(program):
            expected = None
            if word == "cc":
                expected = references([program], self.folder)[0]
            why = self.run(program, options, expected)
            return why is not None and why[0] == word
        return fails

    def batch(self, seeds):
        """(seed, program, options, complaint) of each."""
        programs = [KINDS[self.kind][0].make(s) for s in seeds]
        if self.kind == "c":
            expected = references(programs, self.folder)
        else:
            expected = [None] * len(programs)
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
        self.slow = collections.Counter()
        self.failed = collections.Counter()
        self.log = log

    def say(self, text):
        with self.lock:
            print(text, flush=True)
            if self.log:
                with open(self.log, "a") as f:
                    f.write(text + "\n")

    def count(self, kind, why):
        with self.lock:
            self.ran[kind] += 1
            if why and why[0] == "refused":
                self.refused[kind] += 1
            elif why and why[0] == "slow":
                self.slow[kind] += 1
            elif why:
                self.failed[kind] += 1

    def summary(self):
        return "; ".join(
            "%s: %d ran, %d failed, %d were refused, %d took too long" % (
                k, self.ran[k] - self.refused[k] - self.slow[k],
                self.failed[k], self.refused[k], self.slow[k])
            for k in sorted(self.ran))


def work(args, batches, counter, end):
    runner = Command(args.program, args.device) if args.device else \
        Differ(args.program)
    with tempfile.TemporaryDirectory(dir=args.scratch) as folder:
        while time.time() < end:
            try:
                kind, seeds = batches.get_nowait()
            except queue.Empty:
                break
            trial = Trial(runner, kind, folder)
            for seed, program, options, why in trial.batch(seeds):
                if time.time() > end:
                    break
                counter.count(kind, why)
                if not why or why[0] in ("refused", "slow"):
                    if why and args.verbose:
                        counter.say(describe(kind, seed, program, options,
                                             why))
                    continue
                small = program if args.no_shrink else shrinking.shrink(
                    program, trial.fails_as(options, why[0]))
                counter.say(describe(kind, seed, small, options, why))
            if args.log:
                counter.say("up to %s seed %d: %s" % (kind, seeds[-1],
                                                      counter.summary()))
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
    p.add_argument("--log")
    p.add_argument("--no-shrink", action="store_true")
    p.add_argument("--verbose", action="store_true")
    args = p.parse_args()
    kinds = list(KINDS) if args.kind == "both" else [args.kind]
    args.program = os.path.abspath(args.program)
    args.scratch = "/dev/shm" if os.path.isdir("/dev/shm") else None
    batches, last = queue.Queue(), args.seed + args.count
    for start in range(args.seed, last, BATCH):
        for kind in kinds:
            batches.put((kind, range(start, min(start + BATCH, last))))
    counter = Counter(args.log)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for done in [pool.submit(work, args, batches, counter,
                                 time.time() + args.seconds)
                     for _ in range(args.jobs)]:
            done.result()
    print(counter.summary())
    return 1 if counter.failed else 0


if __name__ == "__main__":
    sys.exit(main())
