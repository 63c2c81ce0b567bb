#!/usr/bin/env python3
"""Random command lines: every one must end as documented.

The exit status is one of those of the manual, and never that of an internal
error; no signal ends the command, and none takes more than LIMIT seconds of
processor time. When it fails, it has said why, and no file has changed,
appeared or vanished, but for the report of a limit; when it succeeds, no
temporary file is left. Options come from the command's own table,
tools/lib/base/option.def.

A case that fails prints how to run it again: --seed=N --count=1 --keep leaves
its folder.

usage: arguments.py CETANE [--seed=N] [--count=N] [--jobs=N] [--keep]
"""
import argparse
import concurrent.futures
import os
import random
import re
import resource
import shutil
import stat
import subprocess
import sys
import tempfile

CORES = len(os.sched_getaffinity(0))

# Seconds of processor time; and after which a command sleeps without end.
LIMIT, SLEEP = 100, 1000000
SANITIZED = bool(os.environ.get("CETANE_SANITIZE"))
STATUS = {0, 1, 2, 3, 4, 5}
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))

GOOD = b"""Params M, K, N;
Matrix A(M,K); Matrix B(K,N); Matrix C(M,N);
E = A * B + C;
CodeGen(FLOAT, {E});
"""
FILES = {
    b"good.dsl": GOOD,
    b"small.dsl": b"Matrix X(3,2); Y = X' * 2; CodeGen(HALF, {Y});",
    b"types.dsl": b"Params N; Matrix X(N,3); Y = X*X'; Z = Y + 1;"
                  b"CodeGen f(INT, {Y, Z});",
    b"bad.dsl": b"Params N; Y = ; CodeGen(FLOT, {Z});\n\xff\n",
    b"empty.dsl": b"",
    b"zeros.dsl": b"\0" * 300,
    b"long.dsl": b"Params M;" + b"A" * 100000,
    b"broken \xff\xfe\xc3.dsl": GOOD,
    b"\xc3\xa9 %s%n\n.dsl": GOOD,
    b"-odd.dsl": GOOD,
    b"n" * 200 + b".dsl": GOOD,
    b"bad.poly": b"cetane-poly 1\nprogram \"p\" file \"x\"\ncontext \"{\"\n",
    b"bad.ll": b"define void @f() {\nret i32 0\n}\n",
    b"x.npy": b"\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': False, "
              b"'shape': (1, 1), }" + b" " * 57 + b"\n" + bytes(4),
    b"bad.npy": b"\x93NUMPY\1\0\xff\xff{",
    b"words": b"good.dsl -D M=3\n",
    b"self": b"--time-passes @self",
    b"ping": b"@pong", b"pong": b"'@x' @ping",
    b"quote": b"build 'good.dsl", b"nul": b"build\0good.dsl",
    b"huge": b"-DN=1 " * 110000, b"nothing": b" \n",
    b"old.ptx": b"an output from before",
}
FOLDERS = [b"folder", b"folder/deep.dsl"]
VALUES = [b"", b"0", b"1", b"-1", b"3", b"1e999", b"nan", b"0x10", b"1.5",
          b"2147483647", b"2147483648", b"9" * 400, b"x" * 100000,
          b"\xff\xfe\x80", b"\xc3\xa9", b"%s%s%n%n", b"=", b"a=b=c", b",",
          b",,ptx,", b" ", b"\n", b"-", b"--", b"@", b"@@words", b"good.dsl",
          b"../x", b"/", b"/dev/null", b"all", b"none", b"N=", b"=3"]
RIGHT = {
    "emit": [b"dag", b"deps", b"schedule", b"poly", b"ast", b"llvm",
             b"llvm-opt", b"ptx", b"object", b"dag,ptx", b"ptx,ptx", b"cubin"],
    "arch": [b"sm_80", b"sm_90a", b"h100", b"ada"],
    "name": [b"f"], "depfile": [b"x.d", b"folder/x.d", b"old.ptx"],
    "file-prefix-map": [b"good=x", b"/="], "define": [b"M=3", b"N=7", b"N=0"],
    "map": [b"tiled", b"naive"], "from": [b"dsl"],
    "dump-after": [b"all", b"deps", b"sync"],
    "stop-after": [b"deps", b"schedule", b"map_tiles"],
    "input": [b"A=x.npy"], "seed": [b"1"], "host-seed": [b"0", b"5"],
    "host-orders": [b"2"],
    "output": [b"out.ptx", b"old.ptx", b"-", b"folder/x", b"/dev/null",
               b"E=e.npy", b"Y=-", b"Y=old.ptx"],
    "device": [b"host"], "color": [b"always", b"never", b"auto"],
    "verify": [b"auto", b"full", b"sample", b"naive", b"none"],
    "time-limit": [b"60", b"0"], "memory-limit": [b"8G", b"0"],
    "crash-dir": [b"folder"],
}
WRONG = {
    "arch": [b"sm_75,sm_121", b"sm_1"], "name": [b"main", b"int", b"1x"],
    "depfile": [b"-"], "file-prefix-map": [b"="],
    "define": [b"N=2147483647", b"Q=1", b"M=2147483648", b"M=-1", b"M"],
    "map": [b"nave"], "from": [b"poly", b"llvm"],
    "dump-after": [b"syn"], "stop-after": [b"x"],
    "input": [b"A=bad.npy", b"X=absent.npy", b"A=", b"A=-"],
    "output": [b"E=folder", b"absent/x", b"folder", b"/dev/full"],
    "seed": [b"18446744073709551615", b"18446744073709551616"],
    "device": [b"cuda", b"cuda:0", b"cuda:99999999999", b"rocm"],
    "verify": [b"ful"], "time-limit": [b"0.001", b"1e-9", b"inf"],
    "memory-limit": [b"1", b"100M", b"300M", b"99999999T"],
    "crash-dir": [b"absent"], "color": [b"alwys"],
}
SIZES = {b"good.dsl": [b"-DM=5", b"-DN=4", b"-DK=3"], b"types.dsl": [b"-DN=9"]}
VERBS = [b"build", b"check", b"run", b"explain", b"doctor", b"inspect"]
ENVIRONMENT = {
    "CETANE_DEBUG": ["roundtrip", "", "x", "ast,\xff"],
    "NO_COLOR": ["", "1"], "TERM": ["dumb", "", "x"],
    "PATH": ["", "/absent", "." * 5000], "TMPDIR": ["/absent", ""],
    "CETANE_PTXAS": ["/absent", "good.dsl", ""],
    "CETANE_DRIVER": ["/absent", "x.npy", ""],
    "LC_ALL": ["C", "tr_TR.UTF-8", "\xff"],
}


def read_options():
    """(verbs, letter or None, name, whether it takes an argument)."""
    with open(os.path.join(ROOT, "tools", "lib", "base", "option.def"),
              encoding="ascii") as f:
        rows = re.findall(r"^OPTION\(([\w| ]+), (?:0|'(\w)'), \"([\w-]+)\", "
                          r"(\w+)", f.read(), re.M)
    options = [([v.lower().encode() for v in verbs.split(" | ")],
                letter.encode(), name, kind != "FLAG")
               for verbs, letter, name, kind in rows]
    assert len(options) > 25, "the table of options was not understood"
    return options + [([b"all"], b"", "generate", True)]


OPTIONS = read_options()


class Case:
    def __init__(self, seed):
        self.rng = random.Random("arguments %d" % seed)
        rng = self.rng
        kind = rng.randrange(10)
        self.right = kind < 4
        self.args = self.plausible() if kind < 8 else self.anything()
        for _ in range(0 if self.right else rng.choice([0, 0, 1, 1, 2, 4])):
            self.spoil()
        self.args = [a.replace(b"\0", b"") for a in self.args]
        self.stdin = rng.choice([b"", GOOD, GOOD, b"\xff\0", None])
        self.stdout = rng.choice(["pipe"] * 8 + ["closed", "full"])
        self.stderr = rng.choice(["pipe"] * 12 + ["closed"])
        self.environment = {n: rng.choice(v) for n, v in ENVIRONMENT.items()
                            if rng.random() < .04}

    def value(self, name):
        rng = self.rng
        if name == "generate":
            return rng.choice([b"man", b"bash", b"zsh", b"fish", b"x"])
        if self.right or rng.random() < .4:
            return rng.choice(RIGHT.get(name, VALUES))
        return rng.choice(WRONG.get(name, VALUES) if rng.random() < .6
                          else VALUES)

    def option(self, verb=None):
        """The words of a random option, most often one of "verb"."""
        rng = self.rng
        fit = [o for o in OPTIONS if verb in o[0]] \
            if self.right or rng.random() < .9 else []
        _, letter, name, has_value = rng.choice(fit or OPTIONS)
        word = b"--" + name.encode()
        value = self.value(name)
        if not self.right and rng.random() < .1:
            word = word[:rng.randrange(2, len(word) + 1)]
        if letter and rng.random() < .5:
            return [b"-" + letter + value] if has_value and \
                rng.random() < .5 else [b"-" + letter] + [value] * has_value
        if has_value != (not self.right and rng.random() < .06):
            return [word + b"=" + value] if rng.random() < .7 else \
                [word, value]
        return [word]

    def file(self):
        rng = self.rng
        if self.right or rng.random() < .6:
            return rng.choice([b"good.dsl", b"small.dsl", b"types.dsl"])
        return rng.choice(sorted(FILES) + FOLDERS + VALUES + [
            b"-", b"absent.dsl", b"@words", b"@self", b"@ping", b"@quote",
            b"@nul", b"@huge", b"@nothing", b"@absent", b"@folder", b"@-",
            b"loop", b"/dev/null", b"./" * 3000 + b"good.dsl"])

    def plausible(self):
        rng = self.rng
        verb = rng.choice([b"build", b"build", b"build", b"run", b"run",
                           b"check", b"explain", b"doctor"])
        words = [[verb]]
        if verb == b"explain":
            words.append([rng.choice([b"E203", b"203", b"w231", b"R", b"E",
                                      b"E99999999999", b"-1"] + VALUES)])
        elif verb != b"doctor":
            words.append([self.file()])
        if verb == b"run":
            words.append(SIZES.get(words[-1][0], []))
        words += [self.option(verb)
                  for _ in range(rng.choice([0, 1, 1, 2, 3, 5]))]
        if not self.right and rng.random() < .2:
            rng.shuffle(words)
        return [w for group in words for w in group]

    def anything(self):
        rng = self.rng
        words = []
        for _ in range(rng.choice([0, 1, 2, 3, 5, 9])):
            kind = rng.randrange(4)
            words += self.option() if kind == 0 else [
                rng.choice(VERBS) if kind == 1 else
                self.file() if kind == 2 else rng.choice(VALUES)]
        return words

    def spoil(self):
        """Change one word."""
        rng, args = self.rng, self.args
        if not args:
            return
        i = rng.randrange(len(args))
        kind = rng.randrange(6)
        if kind == 0:
            del args[i]
        elif kind == 1:
            args.insert(i, args[i])
        elif kind == 2:
            k = rng.randrange(len(args))
            args[i], args[k] = args[k], args[i]
        elif kind == 3:
            args[i] = args[i][:rng.randrange(len(args[i]) + 1)]
        elif kind == 4:
            at = rng.randrange(len(args[i]) + 1)
            args[i] = args[i][:at] + bytes([rng.randrange(1, 256)]) + \
                args[i][at:]
        else:
            args.insert(i, rng.choice(VALUES))


def fill(folder):
    for name in FOLDERS:
        os.mkdir(os.path.join(folder, name))
    for name, text in FILES.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(text)
    os.symlink(b"loop", os.path.join(folder, b"loop"))


def snapshot(folder):
    """Path -> content of what lies in the folder."""
    result = {}
    for where, folders, names in os.walk(folder):
        for name in folders + names:
            path = os.path.join(where, name)
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode):
                with open(path, "rb") as f:
                    result[path] = f.read()
            else:
                result[path] = stat.S_IFMT(mode)
    return result


def prepare_child(case):
    def prepare():
        if not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (
            LIMIT, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        for fd, how in ((0, case.stdin), (1, case.stdout), (2, case.stderr)):
            if how in (None, "closed"):
                os.close(fd)
    return prepare


def start(cetane, case, folder):
    """The finished process; None if it took too long."""
    full = open("/dev/full", "wb") if case.stdout == "full" else None
    environment = dict(os.environ, **case.environment)
    try:
        return subprocess.run(
            [cetane, *case.args], cwd=folder, timeout=SLEEP,
            input=case.stdin or b"", stdout=full or subprocess.PIPE,
            stderr=subprocess.PIPE, preexec_fn=prepare_child(case),
            env=environment, check=False)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if full:
            full.close()


def judge(case, p, before, after):
    """What is wrong, or None."""
    if p is None:
        return "did not end in %d s" % SLEEP
    if b"error[E460]" in p.stderr:
        return "took more than %d s of processor time" % LIMIT
    if p.returncode not in STATUS:
        return "exit status %d" % p.returncode
    if b"Sanitizer" in p.stderr or b"isl_ctx not freed" in p.stderr:
        return "complains"
    changed = {n for n in before.keys() | after.keys()
               if before.get(n) != after.get(n)}
    if p.returncode == 4:
        changed = {n for n in changed if b"cetane-crash-" not in n}
    if p.returncode and changed:
        return "failed, but left %s" % sorted(changed)
    hidden = [n for n in changed if os.path.basename(n).startswith(b".")]
    if hidden:
        return "left %s" % hidden
    if p.returncode and not p.stderr and case.stderr == "pipe" and \
            b"doctor" not in case.args:
        return "failed without a word"
    return None


def check(cetane, seed, keep):
    """None, or a report."""
    case = Case(seed)
    base = tempfile.mkdtemp(prefix="cetane-arguments-")
    folder = os.path.join(base, "work").encode()
    os.mkdir(folder)
    try:
        fill(folder)
        before = snapshot(base.encode())
        p = start(cetane, case, folder)
        wrong = judge(case, p, before, snapshot(base.encode()))
    finally:
        if keep:
            print(base)
        else:
            shutil.rmtree(base)
    if not wrong:
        return p.returncode, None
    said = p.stderr[-3000:].decode(errors="replace") if p else ""
    return None, "FAIL seed %d: %s\n%s\nstdin %.20r stdout %s stderr %s %s\n%s" % (
        seed, wrong, [a[:200] for a in case.args], case.stdin, case.stdout,
        case.stderr, case.environment, said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cetane", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=CORES)
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    seen, failed = {}, 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for status, report in pool.map(
                lambda seed: check(args.cetane, seed, args.keep),
                range(args.seed, args.seed + args.count)):
            seen[status] = seen.get(status, 0) + 1
            if report:
                failed += 1
                print(report, flush=True)
    print("%d command lines, %d failed; %s" % (args.count, failed, ", ".join(
        "status %s: %d" % s for s in sorted(seen.items(), key=str))))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
