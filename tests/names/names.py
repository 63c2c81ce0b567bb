#!/usr/bin/env python3
"""Whatever a program calls its parts, it compiles.

usage: names.py CETANE ENTRY [GROUP...] [--all] [--seed=N]

The names of words.py take the roles (parameter, matrix, tensor, definition,
index, reduced index, nest, its parameters and locals, loop, function, entry) of
all notations (matrix, index, nest, C). Each program holds many names, and is
compiled with its text read back after every pass; for some the object and its
header are built, too, and for some the result is verified on the host device.
Names that the reference takes for itself must be refused, with a place.

The groups: wide (one of three names), nests (called like what calls become), products
(sizes called like what domains are made of), made (programs whose names are
those that the compiler made up for the same program before), entries (of
objects), refused. With --all, more of each.
"""
import argparse
import collections
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import words

K, D = 20, 4     # names of one role in one program, and of costly ones


class Failure(Exception):
    pass


class Runner:
    def __init__(self, cetane, folder):
        self.cetane, self.folder, self.count = cetane, folder, 0

    def run(self, verb, text, suffix, *options):
        """Exit status and messages of one command on the program "text"."""
        path = os.path.join(self.folder, "names" + suffix)
        with open(path, "w") as f:
            f.write(text)
        self.count += 1
        out = subprocess.run([self.cetane, verb, path, *options], text=True,
                             cwd=self.folder, timeout=1000000,
                             capture_output=True)
        return out.returncode, out.stdout, out.stderr

    def build(self, program, *more):
        """Exit status and messages where the program is compiled."""
        text, suffix, options = program
        rc, _, err = self.run("build", text, suffix, "-o", "out.txt",
                              *options, *more)
        return rc, err


# ------------------------------------------------------------------ programs

# What a role of a program is called, by its place: role("tensor", 3).
def wide_sizes(role):
    p = [role("param", k) for k in range(K)]
    return "param %s;\nassume %s >= 2;\ntensor f32 %s(%s);\n%s(%s) = %s(%s);\n" \
        % (", ".join(p), p[0], role("tensor", 0), " + ".join(p),
           role("definition", 0), role("index", 0), role("tensor", 0),
           role("index", 0)), ".dsl", []


def wide_index(role):
    t, d = (lambda k, r=r: role(r, k) for r in ("tensor", "definition"))
    lines = ["param %s;" % role("param", 0),
             "tensor f32 %s;" % ", ".join(t(k) for k in range(K))]
    for k in range(D):
        lines.append("%s() = 2 * %s%s;" % (
            d(k), t(k), " + %s" % d(k - 1) if k % 8 else ""))
    lines.append("%s() = %s;" % (role("sum", 0), " + ".join(
        t(k) for k in range(K))))
    i = [role("index", k) for k in range(D)]
    r = [role("reduced", k) for k in range(D)]
    lines.append("%s(%s) for %s = %s;" % (role("point", 0), ", ".join(
        i), ", ".join("0 <= %s < %s" % (a, role("param", 0)) for a in i),
        t(0)))
    lines.append("%s() = sum(%s for %s: %s);" % (role("sum", 1), ", ".join(
        r), ", ".join("0 <= %s < 2" % a for a in r), t(0)))
    return "\n".join(lines) + "\n", ".dsl", []


def wide_update(role):
    lines = ["param N__N;"]
    i = [role("index", k) for k in range(D)]
    r = [role("reduced", k) for k in range(D)]
    lines.append("tensor f32 %s(%s);" % (role("tensor", 0), ", ".join(
        ["N__N"] * 2 * D)))
    lines.append("out %s(%s) += %s(%s);" % (
        role("definition", 0), ", ".join(i), role("tensor", 0), ", ".join(
            i + r)))
    return "\n".join(lines) + "\n", ".dsl", []


def wide_matrix(role):
    p, m, d = (lambda k, r=r: role(r, k) for r in
               ("param", "matrix", "definition"))
    lines = ["Params %s;" % ", ".join(p(k) for k in range(D))]
    lines += ["Matrix %s(1,1);" % m(k) for k in range(D)]
    lines += ["Matrix %s(%s,%s);" % (role("other", k), p(2 * k), p(2 * k + 1))
              for k in range(D // 2)]
    for k in range(D):
        lines.append("%s = ReLU(%s)%s;" % (
            d(k), m(k), " + " + d(k - 1) if k % 8 else ""))
    lines.append("%s = %s;" % (role("output", 0), " + ".join(
        d(k) for k in range(D))))
    lines.append("CodeGen(FLOAT, {%s, %s});" % (role("output", 0), d(0)))
    return "\n".join(lines) + "\n", ".dsl", []


def loops(role, real="float"):
    """The text of a nest: loops, locals and a function."""
    lines = []
    for k in range(D):
        i, s = role("loop", k), role("local", k)
        lines.append("for (int %s = 0; %s < %s; %s++) { %s %s = %s(%s[%s]); "
                     "%s[%s] += %s * 2; }" % (
                         i, i, role("param", 0), i, real, s,
                         role("function", 0) if k == 0 else "", role(
                             "array", k), i, role("result", 0), i, s))
    lines += ["%s[0] += 1;" % role("changed", k) for k in range(D)]
    return "\n".join(lines)


def parameters(role, size, real):
    p = [role("param", k) for k in range(D)]
    return ", ".join(["%s %s" % (size, a) for a in p] + [
        "const %s %s[%s]" % (real, role("array", k), p[0])
        for k in range(D)] + [
        "%s %s[1]" % (real, role("changed", k)) for k in range(D)] + [
        "%s %s[%s]" % (real, role("result", 0), p[0]),
        "%s %s[%s + 1]" % (real, role("sized", 0), " + ".join(p))])


def wide_c(role):
    text = "static float %s(float %s) { return %s + 1; }\n" % (
        role("function", 0), role("argument", 0), role("argument", 0))
    return text + "void %s(%s)\n{\n%s\n%s[0] = 0;\n}\n" % (
        role("nest", 0), parameters(role, "int", "float"), loops(role),
        role("sized", 0)), ".i", []


def wide_nest(role):
    text = "nest %s(%s)\n{\n%s\n%s[0] = 0;\n}\n" % (
        role("nest", 0), parameters(role, "param", "f32"),
        loops(role, "f32"), role("sized", 0))
    return text + "static f32 %s(f32 %s) { return %s + 1; }\n" % (
        role("function", 0), role("argument", 0), role("argument", 0)), \
        ".dsl", []


def called_nest(role):
    """Nests beside definitions."""
    n = role("size", 0)
    lines = ["param %s;" % n]
    for k in range(4):
        d, i, a, p, j, s = (role(r, k) for r in (
            "definition", "index", "array", "param", "loop", "local"))
        lines += ["tensor f32 %s(%s);" % (role("tensor", k), n),
                  "%s(%s) = %s(%s) * 2;" % (d, i, role("tensor", k), i),
                  "nest %s(param %s, f32 %s[%s]) {" % (
                      role("nest", k), p, a, p),
                  "for (int %s = 1; %s < %s; %s++) { f32 %s = %s[%s - 1]; "
                  "%s[%s] += %s; } }" % (j, j, p, j, s, a, j, a, j, s),
                  "%s(%s);" % (role("nest", k), d)]
    return "\n".join(lines) + "\n", ".dsl", []


# Programs that go through many passes, for products and made.
def product(role):
    a, b, c = role("param", 0), role("param", 1), role("param", 2)
    x, w, v = role("matrix", 0), role("matrix", 1), role("matrix", 2)
    d, e = role("definition", 0), role("definition", 1)
    return ("Params %s;\nMatrix %s(%s,%s); Matrix %s(%s,%s); Matrix %s(1,%s);"
            "\n%s = %s * %s;\n%s = ReLU(%s + %s);\nCodeGen(FLOAT, {%s, %s});\n"
            % (", ".join([a, b, c]), x, a, b, w, b, c, v, c, d, x, w, e, d, v,
               d, e), ".dsl", [])


def half(role):
    a, b = role("param", 0), role("param", 1)
    x, d, e = role("matrix", 0), role("definition", 0), role("definition", 1)
    return ("Params %s, %s;\nMatrix %s(%s,%s);\n%s = %s * %s';\n%s = %s^T;\n"
            "CodeGen(HALF, {%s, %s});\n" % (
                a, b, x, a, b, d, x, x, e, x, d, e), ".dsl", [])


def renewed(role):
    a, b = role("param", 0), role("param", 1)
    x, y = role("matrix", 0), role("matrix", 1)
    return ("Params %s, %s;\nMatrix %s(%s,%s); Matrix %s(%s,%s);\n"
            "%s = %s + %s;\n%s = %s .* %s;\nCodeGen(DOUBLE, {%s});\n" % (
                a, b, x, a, b, y, a, b, x, x, y, x, x, x, x), ".dsl", [])


def recurrence(role):
    n, m = role("param", 0), role("param", 1)
    u, v, w = (role("tensor", k) for k in range(3))
    d, e, f = (role("definition", k) for k in range(3))
    i, j, r = (role("index", k) for k in range(3))
    return ("param %s, %s;\ntensor f32 %s(%s), %s(%s,%s), %s(%s);\n" % (
        n, m, u, n, v, n, m, w, m) +
        "out %s(%s,%s) for 0 <= %s < %s, 0 <= %s < %s = case { %s == 0: "
        "%s(%s) * %s(%s); else: %s(%s-1,%s) + %s(%s,%s); };\n" % (
            d, i, j, i, n, j, m, i, u, i, w, j, d, i, j, v, i, j) +
        "out %s(%s) += %s(%s,%s) * %s(%s);\n" % (e, i, v, i, r, w, r) +
        "out %s(%s) = sum(%s: %s(%s,%s)) / (1 + max(%s: %s(%s,%s)));\n" % (
            f, j, i, v, i, j, i, v, i, j), ".dsl", [])


def stencil(role):
    n, t = role("param", 0), role("param", 1)
    a, b = role("array", 0), role("array", 1)
    i, k, s = role("loop", 0), role("loop", 1), role("local", 0)
    return ("void %s(int %s, int %s, double %s[%s], double %s[%s])\n{\n"
            "for (int %s = 0; %s < %s; %s++) {\n"
            "for (int %s = 1; %s < %s - 1; %s++) { double %s = %s[%s-1] + "
            "%s[%s+1]; %s[%s] = %s; }\n"
            "for (int %s = 1; %s < %s - 1; %s++) %s[%s] = %s[%s];\n}\n}\n" % (
                role("nest", 0), n, t, a, n, b, n, k, k, t, k, i, i, n, i, s,
                a, i, a, i, b, i, s, i, i, n, i, a, i, b, i), ".i", [])


def summed(role):
    n, x, y = role("param", 0), role("array", 0), role("array", 1)
    i, s = role("loop", 0), role("local", 0)
    return ("double %s(int %s, const double %s[%s], const double %s[%s])\n"
            "{ double %s = 0; for (int %s = 0; %s < %s; %s++) "
            "%s += %s[%s] * %s[%s]; return %s; }\n" % (
                role("nest", 0), n, x, n, y, n, s, i, i, n, i, s, x, i, y, i,
                s), ".i", ["--fp=reassoc"])


WIDE = {"index": [wide_sizes, wide_index, wide_update], "matrix": [wide_matrix],
        "c": [wide_c], "nest": [wide_nest], "mixed": [called_nest]}
DEEP = {"matrix": [product, half, renewed], "index": [recurrence],
        "c": [stencil, summed]}


def roles_of(program):
    """The roles of a program, in the order in which they are asked for."""
    asked = {}
    program(lambda role, k: asked.setdefault((role, k), "v%d" % len(asked)))
    return list(asked)


def named(program, names):
    """The program with a dictionary of names, or of some of them."""
    spare = {key: "zz%d_" % i for i, key in enumerate(roles_of(program))}
    return program(lambda *key: names.get(key, spare[key]))


# ------------------------------------------------------------------- groups

def least(program, names, wrong):
    """The fewest names with which "wrong" is still true of the program."""
    names, parts = list(names.items()), 2
    while len(names) > 1 and parts <= 2 * len(names):
        size = -(-len(names) // parts)
        for at in range(0, len(names), size):
            fewer = names[at:at + size] if parts == 2 else \
                names[:at] + names[at + size:]
            if fewer and wrong(named(program, dict(fewer))):
                names, parts = fewer, 2
                break
        else:
            parts *= 2
    return dict(names)


def must_build(runner, program, names, *options):
    rc, err = runner.build(named(program, names), *options)
    if rc == 0:
        return
    few = least(program, names,
                lambda p: runner.build(p, *options)[0] == rc)
    rc, err = runner.build(named(program, few), *options)
    raise Failure("%s: exit %d with %s\n%s" % (program.__name__, rc, few,
                                               err))


def chosen(notation, program, names, first):
    """Names for the roles of a program, so that "first" of "names" moves
    through all of them.
    """
    roles = roles_of(program)
    free = [n for n in names if words.is_free(n, notation)]
    first %= len(free)
    return dict(zip(roles, free[first:] + free[:first]))


def nests(runner, options):
    """Nests and sizes called like the function in C that a call becomes."""
    names = [w for w in words.RUNTIME if w.startswith("cetane_")]
    for first in range(0, len(names), 4):
        turned = names[first:] + names[:first]
        verified(runner, called_nest, dict(
            [(("nest", k), turned[k]) for k in range(4)] +
            [(("param", k), turned[k + 4]) for k in range(3)] +
            [(("size", 0), "n")]), "-Dn=5")


def notation_of(program):
    return next(n for n, programs in WIDE.items() if program in programs)


def wide(runner, options):
    """One of three names in a role of two programs, and those that are more likely to
    be the compiler's in some roles of each; with --all, every name in all roles of
    all programs.
    """
    names = words.all_names()
    random.Random(options.seed).shuffle(names)
    likely = [n for n in names if options.all or words.is_likely(n)]
    for number, program in enumerate(sum(WIDE.values(), [])):
        notation = notation_of(program)
        roles = roles_of(program)
        most = max(collections.Counter(r for r, _ in roles).values())
        if options.all or len(roles) > 20:
            mine = names if options.all else names[number % 9::9]
            for first in range(0, len(mine), len(roles)):
                must_build(runner, program,
                           chosen(notation, program, mine, first))
        if notation in ("nest", "mixed") and not options.all:
            continue
        step = most if options.all else 12 * most
        for first in range(0, len(likely), step):
            must_build(runner, program,
                       chosen(notation, program, likely, first),
                       *["--roundtrip"] * (first // step % 4 == 0))


def verified(runner, program, names, *options):
    """Compiled, run on the host device with all checks, and verified."""
    text, suffix, more = named(program, names)
    sizes = ["-D%s=%d" % (names[key], 5 + 2 * n) for n, key in enumerate(
        k for k in roles_of(program) if k[0] == "param")] \
        if program is not called_nest else []
    rc, out, err = runner.run("run", text, suffix, "--sanitize=all", *more,
                              *sizes, *options)
    if rc or "verified" not in out:
        raise Failure("%s: exit %d with %s\n%s%s" % (
            program.__name__, rc, names, out, err))


def products(runner, options):
    """Names of coordinates, and of dimensions of sets, as sizes."""
    letters = "bhtipxyzSc" if options.all else "bht"
    names = [a + d for a in letters for d in ("012345" if options.all else
                                               "01")]
    names += list("ijkrc") + ["tk", "pk", "p0", "p1", "i0", "i1"]
    for program in sum(DEEP.values(), []):
        notation = next(n for n, p in DEEP.items() if program in p)
        params = [k for k in roles_of(program) if k[0] in ("param", "loop",
                                                           "index")]
        rest = [k for k in roles_of(program) if k not in params]
        for first in range(0, len(names), len(params)):
            turned = names[first:] + names[:first]
            chosen_names = dict(zip(params + rest, turned))
            if first % 2 and program is not product:
                must_build(runner, program, chosen_names, "--roundtrip")
            else:
                verified(runner, program, chosen_names, "--roundtrip")


def made_up(runner, program, names):
    """What the compiler calls things in the program, beside its own names."""
    found = {}
    for kind in ("deps", "poly", "llvm"):
        text, suffix, options = named(program, names)
        rc, out, err = runner.run("build", text, suffix, "--emit=" + kind,
                                  "-o", "-", *options)
        if rc:
            raise Failure("%s: exit %d\n%s" % (program.__name__, rc, err))
        for word in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", out):
            if len(word) <= 64:
                found.setdefault(word)
    return [w for w in found if w not in names.values()]


def made(runner, options):
    """Programs that give other things the names that the compiler makes up."""
    for program in sum(DEEP.values(), []):
        notation = next(n for n, p in DEEP.items() if program in p)
        roles = roles_of(program)
        plain = {key: "q%s%d" % (key[0][0], n)
                 for n, key in enumerate(roles)}
        names = [w for w in made_up(runner, program, plain)
                 if words.is_free(w, notation)]
        derived = [w for w in names if re.match("q[a-z][0-9]", w)]
        other = [w for w in names if w not in derived]
        random.Random(options.seed).shuffle(other)
        if not options.all:
            other = other[:len(roles)]
        # Names made of others clash while those others stand.
        while derived or other:
            given, kept = dict(plain), set()
            for key in roles:
                for group in (derived, other):
                    pick = next((w for w in group if plain[key] not in kept
                                 and not w.startswith(plain[key])), None)
                    if pick:
                        group.remove(pick)
                        given[key] = pick
                        kept.update(p for p in plain.values()
                                    if pick.startswith(p))
                        break
            if given == plain:
                break
            must_build(runner, program, given,
                       *["--roundtrip"] * (len(derived) % 4 == 0))


def entries(runner, options):
    """Functions of objects: headers for C and C++, and what the runtime
    needs from the C library.
    """
    out = subprocess.run([options.entry], text=True, capture_output=True,
                         input="\n".join(words.all_names()), check=True)
    names = out.stdout.split()
    for word in words.C + words.CXX + ["main", "malloc", "memcpy", "exp",
                                       "cetane_launch", "size_t"]:
        if word in names:
            raise Failure("%s may be the name of a function" % word)
    for word in words.DIGITS + ["result", "workspace", "stream", "add", "mul"]:
        if word not in names and word not in ("j0", "j1", "y0", "y1"):
            raise Failure("%s may not be the name of a function" % word)
    text, suffix, _ = named(product, {})
    rc, _, err = runner.run("build", text, suffix, "--emit=object", "-o",
                            "plain.o", "--name=plain__name")
    if rc:
        raise Failure(err)
    with open(os.path.join(runner.folder, "plain.h")) as f:
        header = f.read()
    both = os.path.join(runner.folder, "both.h")
    with open(both, "w") as f:
        f.write("".join(header.replace("plain__name", n) for n in names))
    compile_header(both)
    for name in ["_", "k0", "shared", words.LONG[0]]:
        link(runner, name)
    rc, _, err = runner.run(
        "build", "void f(int n, const float new[n], float class[n]) { for "
        "(int this = 0; this < n; this++) class[this] = new[this]; }", ".i",
        "--emit=object", "--drop-in", "-o", "both.o")
    if rc:
        raise Failure(err)
    compile_header(both)


def compile_header(path):
    for compiler in (["cc", "-xc", "-std=c11"], ["cc", "-xc"],
                     ["c++", "-xc++"]):
        if not shutil.which(compiler[0]):
            continue
        out = subprocess.run(compiler + ["-Werror", "-fsyntax-only", path],
                             text=True, capture_output=True)
        if out.returncode:
            raise Failure("the header does not compile:\n" + out.stderr)


def link(runner, name):
    """An object with names of all kinds is linked into a program."""
    names = {key: n for key, n in zip(roles_of(product), [
        "int64_t", "b0", "k", "M", "this", "stream", "NULL", "_"])}
    text, suffix, _ = named(product, names)
    rc, _, err = runner.run("build", text, suffix, "--emit=object", "-o",
                            "o.o", "--name=" + name)
    if rc:
        raise Failure("an object called %s: exit %d\n%s" % (name, rc, err))
    with open(os.path.join(runner.folder, "main.c"), "w") as f:
        f.write('#include "o.h"\nint main(void) { return %s_load() == 77; }\n'
                % name)
    with open(os.path.join(runner.folder, "o.h")) as f:
        header = f.read()
    for key, word in names.items():
        if key[0] in ("param", "matrix", "definition") and not re.search(
                r"\b(size|in|out)_%s\b" % word, header):
            raise Failure("the header lacks %s:\n%s" % (word, header))
    out = subprocess.run(["cc", "-c", "main.c", "-o", "main.o"], text=True,
                         cwd=runner.folder, capture_output=True)
    if out.returncode:
        raise Failure("the header of %s:\n%s" % (name, out.stderr))
    out = subprocess.run(["nm", "o.o"], text=True, cwd=runner.folder,
                         capture_output=True)
    symbols = re.findall(r"(?m)^\w+ [A-Z] (\w+)$", out.stdout)
    other = [s for s in symbols if s != name and
             not s.startswith(name + "_")]
    if name not in symbols or other:
        raise Failure("the object of %s defines %s" % (name, symbols))


# What a name that the language has for itself may be no name of.
REFUSED = {
    "index": ["param %s; y(i) for 0 <= i < 3 = 1.0;",
              "tensor f32 %s(3); y(i) = 1.0 * %s(i);",
              "%s(i) for 0 <= i < 3 = 1.0;",
              "tensor f32 x(3); y(%s) = x(%s);"],
    "matrix": ["Params %s; Matrix A(%s,%s); B = A + A;",
               "Matrix %s(2,2); B = %s + %s;",
               "Matrix A(2,2); %s = A + A;"],
    "c": ["void %s(int n, float x[n])\n{ for (int i = 0; i < n; i++) "
          "x[i] = 1; }", "void f(int %s, float x[%s])\n{ for (int i = 0; "
          "i < %s; i++) x[i] = 1; }",
          "void f(int n, float %s[n])\n{ for (int i = 0; i < n; i++) "
          "%s[i] = 1; }",
          "void f(int n, float x[n])\n{ for (int %s = 0; %s < n; %s++) "
          "x[%s] = 1; }"]}


def refused(runner, options):
    """Where a name is not free, that is said at its place; never worse."""
    for notation, programs in REFUSED.items():
        names = [n for n in words.all_names()
                 if not words.is_free(n, notation)]
        for name in names if options.all else names[::9]:
            for text in programs:
                text = text.replace("%s", name) + "\n"
                rc, out, err = runner.run(
                    "check", text, ".i" if notation == "c" else ".dsl")
                if rc not in (0, 1) or (rc and not re.search(
                        r"names\.\w+:\d+:\d+: error\[E\d+\]|\[E153\]",
                        err)):
                    raise Failure("exit %d of\n%s%s" % (rc, text, err))


GROUPS = {"wide": wide, "nests": nests, "products": products, "made": made,
          "entries": entries, "refused": refused}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cetane")
    parser.add_argument("entry")
    parser.add_argument("groups", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(os.path.abspath(options.cetane), folder)
        for group in options.groups or GROUPS:
            try:
                GROUPS[group](runner, options)
            except Failure as failure:
                print("%s: %s" % (group, failure))
                failed = 1
        print("%d commands" % runner.count)
    return failed


if __name__ == "__main__":
    sys.exit(main())
