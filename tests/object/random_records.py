#!/usr/bin/env python3
"""Functions that take structures by value, and share structures with other files, in
objects that stand in their place: as many random ones as COUNT. Each has between one
and five structures of random members among other arguments, in registers and on the
stack, and perhaps a variable outside. The same caller, linked with what the system's
compiler makes of the function and with the object, must print the same. With
--aarch64 programs are those of AArch64, if there is what makes and runs these.

usage: random_records.py CETANE RUNTIME COUNT [SEED] [--aarch64]
"""
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile

import cross

CORES = len(os.sched_getaffinity(0))
AARCH64 = "--aarch64" in sys.argv
CC = cross.CC if AARCH64 else os.environ.get("CETANE_CC", "cc")
SANITIZE = "" if AARCH64 else os.environ.get("CETANE_SANITIZE", "").replace(
    ";", ",")
HOST = ["--host=" + cross.TRIPLE] if AARCH64 else []
RUN = [cross.QEMU, "-L", cross.ROOT] if AARCH64 else []
INTEGERS = ["signed char", "unsigned char", "short", "unsigned short", "int",
            "unsigned", "long", "unsigned long"]
FLOATS = ["float", "double"]


class Record:
    """A structure: its text, and its scalars as what stands behind a name."""

    def __init__(self, r, name, known):
        self.name, self.scalars, members = name, [], []
        kinds = r.choice([FLOATS, INTEGERS, INTEGERS + FLOATS])
        for k in range(r.choice([1, 1, 2, 2, 3, 4, 6])):
            m = "m%d" % k
            if known and r.random() < .2:
                inner = r.choice(known)
                members.append("struct %s %s;" % (inner.name, m))
                self.scalars += ["%s.%s" % (m, s) for s in inner.scalars]
                continue
            n = r.choice([0, 0, 0, 2, 3])
            members.append("%s %s%s;" % (r.choice(kinds), m,
                                         "[%d]" % n if n else ""))
            self.scalars += ["%s[%d]" % (m, i) for i in range(n)] or [m]
        self.text = "struct %s { %s };\n" % (name, " ".join(members))


class Program:
    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.records = []
        for k in range(r.randint(1, 4)):
            self.records.append(Record(r, "r%d" % k, list(self.records)))
        self.sized = r.random() < .5
        self.types = "".join(x.text for x in self.records)
        self.types += "struct sized { %s m; int n; };\n" % r.choice(
            INTEGERS + FLOATS)
        self.param, self.value, self.read = [], [], []
        for k in range(r.randint(1, 9)):
            self.add_argument("p%d" % k)
        self.param += ["int n", "double *a"]
        self.value += ["N", "a"]
        if self.sized:
            self.param.append("struct sized z")
            self.value.append("(struct sized){ 3, N }")
        order = list(range(len(self.param)))
        r.shuffle(order)
        self.param = [self.param[i] for i in order]
        self.value = [self.value[i] for i in order]
        # One register is left for a structure of two.
        kind, n = r.choice([("long", 0), ("long", 5), ("double", 7)])
        self.param[:0] = ["%s first%d" % (kind, k) for k in range(n)]
        self.value[:0] = [str(k) for k in range(n)]
        self.read += ["first%d" % (n - 1)] if n else []
        self.outside = [("%s g%d%s;\n" % ("struct " + x.name, k, at), x,
                         "g%d%s" % (k, "[i]" if at else ""))
                        for k, x in enumerate(self.records)
                        for at in [r.choice(["", "[7]"])] if r.random() < .5]

    def add_argument(self, name):
        r = self.r
        if r.random() < .4:
            kind = r.choice(INTEGERS + FLOATS)
            self.param.append("%s %s" % (kind, name))
            self.value.append(str(r.randint(0, 99)))
            self.read.append(name)
            return
        x = r.choice(self.records)
        self.param.append("struct %s %s" % (x.name, name))
        self.value.append("v" + name)
        self.read += ["%s.%s" % (name, s) for s in x.scalars]

    def function(self):
        r = self.r
        picked = r.sample(self.read, min(len(self.read), 6))
        terms = ["%d * (double)%s" % (k + 2, s) for k, s in enumerate(picked)]
        out = []
        for _, x, place in self.outside:
            s = "%s.%s" % (place, r.choice(x.scalars))
            terms.append("0.5 * (double)%s" % s)
            if "[i]" in place:
                out.append("%s = (signed char)(i + 3);" % s)
        if r.random() < .4 and picked:
            out.append("%s = (signed char)(i & 7);" % picked[0])
        end = "z.n" if self.sized else "n"
        return ("void f(%s)\n{\n\tfor (int i = 0; i < %s; i++) {\n"
                "\t\ta[i] += %s;\n\t\t%s\n\t}\n}\n" % (
                    ", ".join(self.param), end, " + ".join(terms),
                    "\n\t\t".join(out)))

    def caller(self):
        """Bytes that a member has are numbers that no operation loses."""
        lines = ["%s %s;" % (p.rsplit(" ", 1)[0], "v" + p.rsplit(" ", 1)[1])
                 for p in self.param if p.startswith("struct r")]
        sets = []
        for p in self.param:
            if p.startswith("struct r"):
                kind, name = p.split()[1:]
                x = next(x for x in self.records if x.name == kind)
                sets += ["v%s.%s = %d;" % (name, s, self.r.randint(0, 99))
                         for s in x.scalars]
        shown = []
        for _, x, place in self.outside:
            for i in range(7) if "[i]" in place else [0]:
                at = place.replace("[i]", "[%d]" % i)
                for s in x.scalars:
                    sets.append("%s.%s = %d;" % (at, s, self.r.randint(0, 99)))
                    shown.append('printf("%%g ", (double)%s.%s);' % (at, s))
        return ("#include <stdio.h>\n#include <stddef.h>\n#include \"types.h\"\n"
                "#include \"f.h\"\nenum { N = 5 };\n%s"
                "int main(void)\n{\n\tdouble a[N] = { 1, 2, 3, 4, 5 };\n\t%s\n"
                "\tf(%s);\n\tfor (int i = 0; i < N; i++)\n"
                "\t\tprintf(\"%%.17g \", a[i]);\n\t%s\n\treturn 0;\n}\n" % (
                    "".join("extern " + text for text, _, _ in self.outside),
                    "\n\t".join(lines + sets), ", ".join(self.value),
                    "\n\t".join(shown)))


def call(folder, *command):
    p = subprocess.run(command, cwd=folder, text=True, capture_output=True,
                       env=dict(os.environ, CETANE_DRIVER="/none"))
    return p.stdout if not p.returncode else "exit %d: %s" % (p.returncode,
                                                               p.stderr)


def complaint(cetane, runtime, seed):
    program = Program(seed)
    flags = ["-fsanitize=" + SANITIZE] if SANITIZE else []
    with tempfile.TemporaryDirectory() as folder:
        def write(name, text):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        outside = "".join(text for text, _, _ in program.outside)
        write("types.h", program.types)
        write("f.c", '#include "types.h"\n' + outside + program.function())
        write("main.c", program.caller())
        said = call(folder, cetane, "build", "f.c", "--emit=object", "--drop-in",
                    "--no-contract", "--arch=sm_80", *HOST)
        cc = [CC, "-O1", "-ffp-contract=off", *flags, "main.c"]
        said += call(folder, *cc, "-o", "theirs", "f.c")
        said += call(folder, *cc, "-o", "ours", "f.o", runtime, "-lpthread",
                     "-ldl", "-lm")
        ours, theirs = (call(folder, *RUN, "./" + name)
                        for name in ("ours", "theirs"))
        if ours == theirs and not theirs.startswith("exit"):
            return None
        return "seed %d:\n%s%s%s\n%s\n%s\n" % (
            seed, program.types, outside, program.function(), said,
            "ours:   %s\ntheirs: %s" % (ours, theirs))


def compare(cetane, runtime, first, count):
    """Print what differs in "count" programs from "first" on; 1 if one does."""
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        bad = [text for text in pool.map(
            lambda seed: complaint(cetane, runtime, seed),
            range(first, first + count)) if text]
    print(*bad, "%s programs, %d wrong" % (count, len(bad)), sep="\n")
    return bool(bad)


def main():
    words = [w for w in sys.argv[1:] if w != "--aarch64"]
    cetane, runtime, count = words[:3]
    first = int(words[3]) if len(words) > 3 else 1
    if AARCH64 and not cross.THERE:
        print("there are no programs for AArch64 here")
        return cross.SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        if AARCH64:
            runtime = cross.runtime(cetane, folder)
        return compare(cetane, runtime, first, int(count))


if __name__ == "__main__":
    sys.exit(main())
