#!/usr/bin/env python3
"""Every pair of options of every verb, on three programs, and on the poly IR and
the LLVM IR of one of them: an exit status of the manual, never a signal, never a
report of an internal error, and no word of memory that nothing has refused.
Limits leave no report.

Options come from the command's own table, tools/lib/base/option.def; each has some
values here. Without --all, a command has several options, and each pair of
options is in one of them, with random values and on one of the programs. What is
refused as a usage error is tried again in pairs, and an option that is refused
when it stands alone, or that answers in the place of the verb, stands in pairs
only, so that no option hides others. With --all, each command has one pair, and
all values of all pairs are tried on all programs, which takes hours.

usage: option_pairs.py CETANE [--seed=N] [--share=N] [--all] [--verb=VERB]
                       [--jobs=N]

With --share, only each N-th command of several options is run, by the seed.
"""
import argparse
import concurrent.futures
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import arguments

# Seconds of processor time.
LIMIT = 200
STATUS = {0, 1, 2, 3, 4, 5}
# Options in one command.
MOST = 5
# These answer in the place of the verb.
ANSWERS = {"help", "version"}
PRODUCTS = {"versions", "config", "tuning", "explain"}
THREAD = threading.local()
FAKE = {name: os.environ[key] for name, key in (
    ("CETANE_DRIVER", "CETANE_FAKE_CUDA"),) if os.environ.get(key)}

FILES = {
    "matrix.dsl": "Params M, K, N;\nMatrix A(M,K); Matrix B(K,N);\n"
                  "C = A * B;\nCodeGen(FLOAT, {C});\n",
    "index.dsl": "param N;\ntensor f32 x(N,5), w(5);\n"
                 "s(i) += x(i,j) * w(j);\nout y(i) = max(s(i), 0);\n",
    "nest.c": "void nest(int n, float a[n][n], float b[n])\n{\n"
              "\tfor (int i = 0; i < n; i++)\n"
              "\t\tfor (int j = 0; j < n; j++)\n"
              "\t\t\tb[i] += a[i][j] * 2.0f;\n}\n",
    "sizes": "64 64 64\n", "pair": "64 64\n",
    "blocks": "kernel C tile 32 32 32\n",
    "s.lua": "print_space() try(tile, {\"i\"}, {tune(\"T\", {4, 8})})\n",
    "decided": "T 8\n",
    "tuned.db": "cetane-tuning 1\n",
    "x.npy": "no array", "rival.py": "def f(v):\n    pass\n",
    "rows.json": "{\"device\": \"d\", \"rows\": [{\"suite\": \"own\", \"form\": "
                 "\"f\", \"size\": \"1\", \"base\": \"\", \"ours_samples\": "
                 "[1, 2]}]}",
}
# What a program needs so that it can run.
SIZES = {"matrix.dsl": ["-DM=5", "-DK=6", "-DN=7"], "index.dsl": ["-DN=9"],
         "nest.c": ["-Dn=6"]}
# What is made of a program by --emit, and how it is read.
STAGES = {"matrix.poly": ["--from=poly"], "matrix.ll": ["--from=llvm"]}
# Verbs that read these.
READERS = {"build", "run", "inspect"}
# What verbs take that is no program; suites stand without a file.
OPERANDS = {"bench": [None, "index.dsl"], "benchcmp": ["rows.json"]}
# What bench and tune are bounded by; later words of a command win.
BASE = {
    "bench": ["--suite=elementwise/row", "--sizes=pair", "--repeat=1",
              "--jobs=1", "--limit=5"],
    "tune": ["--sizes=sizes", "--budget=2", "--jobs=1", "--limit=5"],
}
VALUES = {
    "output": ["out", "out/", "-"], "depfile": ["x.d"], "name": ["f"],
    "host": ["aarch64-linux-gnu", "x86_64-linux-gnu"],
    "suite": ["gemm/nn", "elementwise/add"],
    "sizes": ["pair", "sizes", "random:1"],
    "mark": ["a"], "resume": ["rows.tsv"], "artifacts": ["art"], "against": ["art", "absent"],
    "cublas": ["none"], "cublaslt": ["none"], "cudnn": ["none"],
    "arch": ["sm_80", "sm_90a,sm_75", "ada"], "file-prefix-map": ["a=b"],
    "define": ["N=4", "M=5", "n=3"], "include": ["."],
    "extent": ["b=6", "a", "none=3"], "live-out": ["b", "none"],
    "function": ["nest", "none"], "config": ["blocks", "absent"],
    "tuning": ["tuned.db", "absent", "none"], "schedule": ["s.lua", "absent"],
    "decisions": ["decided", "absent"],
    "versions": ["0", "2", "3"], "measure-error": ["0", "1"], "input": ["A=x.npy", "X=absent"],
    "device": ["host", "cuda", "cuda:0", "cuda:7"],
    "dump-after": ["all", "deps", "none"], "stop-after": ["deps", "map_tiles"],
    "budget": ["0", "1"], "jobs": ["1", "2"], "seed": ["0", "7"],
    "host-seed": ["0", "7"], "host-orders": ["0", "2"], "repeat": ["0", "1"],
    "limit": ["0", "2"], "time-limit": ["0", "60"],
    "memory-limit": ["0", "8G", "1M"], "crash-dir": ["crash"],
    "sanitize": ["all", "bounds,race", "uninit"],
    "expect": ["C=x.npy", "y=absent", "none=x.npy"], "within": ["0", "1e-3", "nan"],
    "rival": ["rival.py:f", "absent.so:f", "f"], "fail-on": ["0", "5", "nan"],
    "threshold": ["0", "5", "nan"],
    "junit": ["cases.xml", "absent/x.xml"], "svg": ["a.svg", "absent/a.svg"],
    "profile": ["rows.json", "absent"],
}
# The same option takes other values with other verbs.
OWN = {("run", "output"): ["C=c.npy", "y=y.npy", "b=-"],
       ("bench", "output"): ["rows.tsv", "rows.json", "rows.svg"],
       ("tune", "output"): ["tuned.db", "rows.tsv", "rows.svg"]}


def read_choices():
    """Options that choose from words, and these, from the tables."""
    folder = os.path.join(arguments.ROOT, "tools", "lib", "base")
    with open(os.path.join(folder, "table.c"), encoding="ascii") as f:
        rows = re.findall(r"^\t\{ \"([\w-]+)\", \{ (.*?) \} \},$", f.read(),
                          re.M)
    found = {name: re.findall(r"\"(\w+)\"", words) for name, words in rows}
    with open(os.path.join(folder, "option.def"), encoding="ascii") as f:
        found["emit"] = re.findall(r"^EMIT\(\w+, \"([\w-]+)\"", f.read(),
                                   re.M)
    assert len(found) > 8 and len(found["emit"]) > 10, "tables have changed"
    found["emit"] += ["poly,ptx"]
    return found


CHOICES = read_choices()


def read_verbs():
    with open(os.path.join(arguments.ROOT, "tools", "lib", "base",
                           "option.def"), encoding="ascii") as f:
        return re.findall(r"^VERB\(\w+, \"(\w+)\", (?:\"([\w.]+)\"|NULL)",
                          f.read(), re.M)


def settings(verb):
    """The words of each option of "verb", as name: [word]."""
    found = {}
    for verbs, _, name, has_value in arguments.OPTIONS:
        if name == "generate" or not {verb.encode(), b"all"} & set(verbs):
            continue
        values = OWN.get((verb, name)) or VALUES.get(name) or \
            CHOICES.get(name)
        assert values or not has_value, f"--{name} has no values here"
        found[name] = [f"--{name}={v}" for v in values] if has_value else \
            ["--" + name]
    return found


def own_folder():
    """This thread's folder, with the files as they are at first."""
    if not hasattr(THREAD, "folder"):
        THREAD.folder = tempfile.TemporaryDirectory(prefix="cetane-pairs-")
    folder = THREAD.folder.name
    for name in set(os.listdir(folder)) - set(FILES):
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            shutil.rmtree(path)
        else:
            os.remove(path)
    for name, text in FILES.items():
        with open(os.path.join(folder, name), "w", encoding="ascii") as f:
            f.write(text)
    for name in "out.d", "crash", "art":
        os.mkdir(os.path.join(folder, name))
    return folder


class Command:
    """A verb, a program, and options; and what came of it."""

    def __init__(self, verb, operand, words):
        self.verb, self.operand, self.words = verb, operand, list(words)

    def line(self):
        return [self.verb, *self.base(),
                *([self.operand] if self.operand else []),
                *STAGES.get(self.operand, []),
                *(self.for_run() if self.verb == "run" else []),
                *self.words]

    def base(self):
        if self.verb == "profile" or (self.verb == "bench" and self.operand):
            return ["--device=host", "--repeat=1", *SIZES[self.operand]]
        if self.verb == "benchcmp":
            return [self.operand]
        return BASE.get(self.verb, [])

    def for_run(self):
        if self.operand == "matrix.ll":
            return ["--device=cuda", *SIZES["matrix.dsl"]]
        return SIZES.get(self.operand.replace(".poly", ".dsl"), [])

    def run(self, cetane):
        """(exit status, what is wrong or None)"""
        folder = own_folder()
        try:
            p = subprocess.run(
                ["sh", "-c", f'ulimit -t {LIMIT}; exec "$@"', "sh", cetane,
                 *self.line()], cwd=folder, check=False,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=arguments.SLEEP,
                env=dict(os.environ, **FAKE))
            return p.returncode, self.judge(p, folder)
        except subprocess.TimeoutExpired:
            return None, f"did not end in {arguments.SLEEP} s"

    def judge(self, p, folder):
        said = p.stdout.decode(errors="replace")
        if p.returncode not in STATUS:
            return f"exit status {p.returncode}\n{said[-2000:]}"
        left = [name for _, _, names in os.walk(folder) for name in names
                if "cetane-crash" in name or name.startswith(".")]
        if left:
            return f"left {left}\n{said[-2000:]}"
        if re.search(r"out of memory|enough memory", said):
            return f"speaks of memory\n{said[-2000:]}"
        return None


def rows(names, rng):
    """Lists of options such that each pair stands in one of them."""
    left = {frozenset(p) for p in itertools.combinations(sorted(names), 2)}
    while left:
        row = sorted(rng.choice(sorted(map(sorted, left))))
        while len(row) < MOST:
            gain = {n: sum(frozenset((n, m)) in left for m in row)
                    for n in names if n not in row}
            best = max(gain.values(), default=0)
            if not best:
                break
            row.append(rng.choice([n for n in sorted(gain)
                                   if gain[n] == best]))
        left -= {frozenset(p) for p in itertools.combinations(row, 2)}
        yield row


class Verb:
    """The commands of a verb, with what is run through "run"."""

    def __init__(self, verb, operands, seed, share, run):
        self.verb, self.operands, self.run = verb, operands, run
        self.share = share
        self.rng = random.Random(f"{verb} {seed}")
        self.words = settings(verb)

    def command(self, names):
        """The program of products, which takes longest, is for the options
        that are about products.
        """
        fit = [p for p in self.operands
               if (p == "matrix.dsl") == bool(PRODUCTS & set(names))]
        return Command(self.verb, self.rng.choice(fit or self.operands),
                       [self.rng.choice(self.words[n]) for n in names])

    def shared(self, commands, share=None):
        return [c for c in commands
                if self.rng.randrange(share or self.share) == 0]

    def staged(self):
        """Each pair on the texts of stages, where most are refused."""
        if self.verb in READERS:
            self.run(self.shared([
                Command(self.verb, operand, [self.rng.choice(self.words[n])
                                             for n in pair])
                for pair in itertools.combinations(sorted(self.words), 2)
                for operand in STAGES], self.share ** 2))

    def few(self):
        """Each pair of options once."""
        names = sorted(self.words)
        alone = self.run([self.command([n]) for n in names])
        apart = ANSWERS | {n for n, status in zip(names, alone)
                           if status == 2}
        others = [n for n in names if n not in apart]
        listed = self.shared([self.command(row)
                              for row in rows(others, self.rng)])
        again = [Command(c.verb, c.operand, pair) for c, status in
                 zip(listed, self.run(listed)) if status == 2
                 for pair in itertools.combinations(c.words, 2)]
        self.run(again + self.shared([self.command(pair) for pair in
                                      itertools.combinations(names, 2)
                                      if set(pair) & apart]))

    def every(self):
        """All values of each pair, on all programs."""
        operands = self.operands + (list(STAGES) if self.verb in READERS
                                    else [])
        self.run([Command(self.verb, operand, pair)
                  for a, b in itertools.combinations(sorted(self.words), 2)
                  for pair in itertools.product(self.words[a], self.words[b])
                  for operand in operands])


class Runner:
    def __init__(self, cetane, jobs):
        self.cetane = os.path.abspath(cetane)
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.count, self.failed = {}, 0

    def run(self, commands):
        """The exit statuses of the commands; what is wrong is printed."""
        found = []
        for command, (status, wrong) in zip(commands, self.pool.map(
                lambda c: c.run(self.cetane), commands)):
            self.count[status] = self.count.get(status, 0) + 1
            found.append(status)
            if wrong:
                self.failed += 1
                print("FAIL cetane", *command.line(), "\n" + wrong,
                      flush=True)
        return found


def make_stages(cetane):
    """Add the texts of STAGES to FILES."""
    with tempfile.TemporaryDirectory(prefix="cetane-pairs-") as folder:
        with open(os.path.join(folder, "matrix.dsl"), "w",
                  encoding="ascii") as f:
            f.write(FILES["matrix.dsl"])
        for name, (kind,) in STAGES.items():
            FILES[name] = subprocess.run(
                [os.path.abspath(cetane), "build", "matrix.dsl", "-o-",
                 kind.replace("--from", "--emit")], cwd=folder, check=True,
                stdout=subprocess.PIPE).stdout.decode("ascii")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cetane")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--verb")
    parser.add_argument("--jobs", type=int, default=arguments.CORES)
    o = parser.parse_args()
    make_stages(o.cetane)
    runner = Runner(o.cetane, o.jobs)
    for name, operand in read_verbs():
        if o.verb not in (None, name):
            continue
        operands = OPERANDS.get(name) or {
            "": [None], "CODE": ["E203"], "VERB": ["build"],
            "ACTION": ["stat"], "FILE": sorted(SIZES),
            "FILE...": sorted(SIZES)}[operand]
        verb = Verb(name, operands, o.seed, o.share, runner.run)
        if o.all:
            verb.every()
        else:
            verb.few()
            verb.staged()
    print(f"{sum(runner.count.values())} commands, by exit status:",
          runner.count)
    sys.exit(runner.failed > 0)


if __name__ == "__main__":
    main()
