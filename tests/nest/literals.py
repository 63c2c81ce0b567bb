#!/usr/bin/env python3
"""Literals of C: their values and types against the system's compiler.

Integers at the ends of all types, in each base and with each suffix; floats of
all forms, next to halves of units, to the largest and to the least number;
characters; and words made of the characters of numbers. A literal that cc says
nothing about has the value and the type that it has for cc. One that cc
complains about is an error here, at its place.

usage: literals.py CETANE [--seed=N] [--count=N]
"""
import array
import random
import re
import subprocess
import sys
import tempfile
import os

import against_cc

CETANE = sys.argv[1]
SEED = int(next((a[7:] for a in sys.argv if a.startswith("--seed=")), 1))
COUNT = int(next((a[8:] for a in sys.argv if a.startswith("--count=")), 150))
ROWS = 150      # literals in one statement
WRONG = 10      # in one text: of one number no more are shown
# By whether the literal "t" is a float: what tells its value, and what its type
# decides about: the rounding of a quotient; a sign, and the bits of a shift.
VALUE = ("(unsigned long)({t})", "(double)({t})")
TYPE = ("(({t}) * 0 - 1 < 0) + 2 * (((1u + ({t}) * 0u) << 31 << 1) != 0)",
        "(double)((({t}) * 0 + 1) / 3)")
SUFFIXES = ["", "u", "U", "l", "L", "ul", "Lu", "ll", "LL", "ull", "LLU",
            "llu", "ULL", "lL", "lul", "uu", "LLL", "uLl"]


def integers():
    """At the ends of all types."""
    ends = sorted({max(0, 2**bits + by) for bits in (
        0, 3, 7, 8, 15, 16, 31, 32, 53, 63, 64, 65, 128) for by in (-1, 0, 1)})
    for value in ends + [99999999999999999999999]:
        for text in ("%d" % value, "0x%x" % value, "0X%X" % value,
                     "0%o" % value, "0b" + bin(value)[2:],
                     "0B00" + bin(value)[2:]):
            yield from (text + s for s in SUFFIXES)
    yield from ("08", "0779", "0b", "0b2", "0x", "0xg", "00", "1_0", "0b1f",
                "0xful", "0b1.0", "0b1e3")


def nearby(text):
    """The same number, and some that differ in a digit far behind."""
    yield text
    yield text + "0" * 300
    yield text + "0" * 300 + "1"
    yield text[:-1] + "%d" % (int(text[-1]) - 1) + "9" * 300


def floats(r):
    halves = []
    for bits, low in ((53, -1074), (24, -149)):
        for exponent in (low - 1, low, low + 1, low + bits, -3, 0):
            unit = 2 * r.randrange(2**(bits - 1)) + 1
            if exponent == low - 1:
                unit = 1
            # unit * 2^exponent, written out; exact for exponents below 0
            digits = unit * 5**max(0, -exponent) * 2**max(0, exponent)
            text = str(digits).rjust(max(0, -exponent) + 1, "0")
            halves.append(text[:len(text) - max(0, -exponent)] + "." +
                          text[len(text) - max(0, -exponent):])
    for text in halves:
        for t in nearby(text if text[-1] in "123456789" else text + "01"):
            yield from (t, t + "f")
    for text in ("0.", ".5", "0.1", "1e0", "1E+5", "1e-5", "09.5", "09e1",
                 "1.7976931348623157e308", "1.7976931348623158e308",
                 "1.7976931348623159e308", "1e309", "4.9e-324",
                 "2.4703282292062328e-324", "2.4703282292062327e-324",
                 "1e-400", "3.4028234e38", "3.4028235677973362e38",
                 "3.4028235677973366e38", "3.4028235677973367e38", "1e39",
                 "1.4e-45", "7.006492321624086e-46", "7.006492321624085e-46",
                 "1.1754943508222875e-38", "16777217.0", "16777216.5",
                 "9007199254740993.0", "0.1e", "1.e+", ".e1", "1..2", "1.2.3",
                 "1e5.0", "1e2e3", "1.0fl", "1.0ff", "1f", "1.0u", "1e1x"):
        yield from (text + s for s in ("", "f", "F"))
    for text in ("0x1p0", "0X1.8P1", "0x.8p+1", "0x1.p-1", "0xAp3",
                 "0x1.fffffffffffff8p0", "0x1.fffffffffffff7p1023",
                 "0x1.fffffffffffff8p1023", "0x1.fffffffffffffp1023",
                 "0x1p1024", "0x1p-1074", "0x1p-1075", "0x1.0000000001p-1075",
                 "0x1p-1076", "0x1.fffffep127", "0x1.ffffffp127",
                 "0x1.fffffefp127", "0x1p-149", "0x1p-150", "0x1.01p-150",
                 "0x1.0000010000000p0", "0x1.00000100000001p0", "0x1.8",
                 "0x.", "0x.p1", "0x1p", "0x1p+", "0x1.8f", "0x1e+3",
                 "0xep1", "0x1.8p1.0", "0x1p0x1", "0x1p99999999999999"):
        yield from (text + s for s in ("", "f", "F"))
    for _ in range(COUNT):
        digits = "".join(r.choices("0123456789", k=r.randrange(1, 40)))
        dot = r.randrange(len(digits) + 1)
        yield "%s.%se%d%s" % (digits[:dot], digits[dot:], r.randrange(-340, 300)
                              if r.random() < .5 else r.randrange(-45, 39),
                              r.choice(["", "", "f"]))
        digits = "".join(r.choices("0123456789abcdef", k=r.randrange(1, 30)))
        dot = r.randrange(len(digits) + 1)
        yield "0x%s.%sp%d%s" % (digits[:dot], digits[dot:], r.randrange(
            -1100, 1000) if r.random() < .5 else r.randrange(-160, 120),
            r.choice(["", "", "f"]))


def characters(r):
    for c in range(32, 127):
        yield "'%c'" % c if chr(c) not in "\\'" else "'\\%c'" % c
    yield from ("'\\%c'" % c for c in "abfnrtv0?\"eqcxu8")
    for prefix in ("", "L", "u", "U"):
        yield from (prefix + "'%s'" % c for c in (
            "a", "\\n", "\\0", "\\7", "\\12", "\\377", "\\400", "\\777",
            "\\1234", "\\08", "\\x0", "\\x7f", "\\x80", "\\xff", "\\xFF",
            "\\x100", "\\x00ff", "\\xfffff", "\\xffffffff", "\\x100000000",
            "", "\\x", "ab", "a\\0", "\\0a", "abc", "abcd", "abcde",
            "\\377\\377", "\\xff\\xff\\xff\\xff"))
    for _ in range(COUNT // 4):
        yield "'%s'" % "".join(r.choice(["a", "Z", "\\n", "\\%o" % r.randrange(
            256), "\\x%x" % r.randrange(256)]) for _ in range(r.choice(
                [1, 1, 2, 3, 4, 5])))


def words(r):
    """What looks like a number."""
    for _ in range(2 * COUNT):
        text = r.choice("0123456789") + "".join(r.choices(
            "0000123456789abcdefxXpPeE..uUlLfFbB", k=r.randrange(1, 8)))
        yield re.sub("([eEpP])", lambda m: m.group() + r.choice(
            ["", "", "+", "-"]), text)


def has_other_type(text):
    """Long doubles and decimal floats, which cc accepts."""
    return is_real(text) and re.search(r"(?i)(l|d[dfl]?)$", text) and \
        not re.match(r"(?i)0x[^p]*$", text)


def judge(literals, folder):
    """The literals that cc says nothing against, and the others."""
    path = os.path.join(folder, "judge.c")
    with open(path, "w", encoding="ascii") as f:
        f.write("".join("void f%d(void) { (void)(%s); }\n" % (i, t)
                        for i, t in enumerate(literals)))
    said = subprocess.run(["cc", "-fsyntax-only", "-fmax-errors=0",
                           "-Wno-multichar", path], capture_output=True,
                          text=True, check=False).stderr
    bad = {int(n) - 1 for n in re.findall(
        r"judge\.c:(\d+):\d+: (?:error|warning)", said)}
    return ([t for i, t in enumerate(literals) if i not in bad],
            [t for i, t in enumerate(literals) if i in bad])


def statement(array, g, part, form):
    """Element i gets the "form" of literal i."""
    return "\t\t%s[i][%d] = %s0;\n" % (array, g, "".join(
        "i == %d ? %s : " % (i, form.format(t=t)) for i, t in enumerate(part)))


def compare(good, folder):
    """Complaints about values and types: those that sums and quotients have."""
    parts = [good[i:i + ROWS] for i in range(0, len(good), ROWS)]
    real = is_real(good[0])
    body = "".join(statement("a", g, part, VALUE[real]) +
                   statement("b", g, part, TYPE[real])
                   for g, part in enumerate(parts))
    path = os.path.join(folder, "literals.c")
    kind = "double" if real else "unsigned long"
    with open(path, "w", encoding="ascii") as f:
        f.write("void literals(int n, {0} a[n][{1}], {0} b[n][{1}])\n{{\n"
                "\tfor (int i = 0; i < n; i++) {{\n{2}\t}}\n}}\n".format(
                    kind, len(parts), body))
    try:
        said = against_cc.compare(CETANE, path, [], "literals", {"n": ROWS}, 0,
                                  options=["--verify=none"], values=nothing)
    except (ValueError, subprocess.CalledProcessError) as e:
        return [str(e)]
    if not said:
        return []
    i, g = divmod(int(re.match(r"\w+\[(\d+)\]", said).group(1)), len(parts))
    return ["%s: %s" % (parts[g][i], said)]


def is_real(t):
    return t[0] not in "'LuU" and bool("." in t or re.search(
        "[pP]" if t[:2] in ("0x", "0X") else "[eE]", t))


def nothing(p, count, _):
    return array.array(against_cc.TYPES[p.type][0], [0] * count)


def refused(bad, folder):
    """Complaints about wrong literals that are not told, or elsewhere."""
    path = os.path.join(folder, "wrong.c")
    with open(path, "w", encoding="ascii") as f:
        f.write("void wrong(double a[%d])\n{ for (int i = 0; i < 1; i++) {\n"
                "%s} }\n" % (len(bad), "".join(
                    "a[%d] =   %s;\n" % (i, t) for i, t in enumerate(bad))))
    out = subprocess.run([CETANE, "check", path], capture_output=True,
                         text=True, check=False)
    places = {(int(n), int(c)) for n, c in re.findall(
        r"wrong\.c:(\d+):(\d+): error", out.stderr)}
    for i, t in enumerate(bad):
        if (i + 3, len("a[%d] =   " % i) + 1) not in places:
            yield "%s: cc complains; no error at its place" % t
    if out.returncode != 1:
        yield "exit code %d" % out.returncode


def main():
    r = random.Random(SEED)
    literals = list(dict.fromkeys(
        [*integers(), *floats(r), *characters(r), *words(r)]))
    literals = [t for t in literals if not has_other_type(t)]
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        good, bad = judge(literals, folder)
        failed += compare([t for t in good if is_real(t)], folder)
        failed += compare([t for t in good if not is_real(t)], folder)
        for i in range(0, len(bad), WRONG):
            failed += refused(bad[i:i + WRONG], folder)
    print(*failed, "%d literals, %d of them wrong; %d failed" % (
        len(literals), len(bad), len(failed)), sep="\n")
    return bool(failed) or len(good) < 500 or len(bad) < 500


if __name__ == "__main__":
    sys.exit(main())
