#!/usr/bin/env python3
"""Check that PTX has no chain of signed min or max in which ptxas could lose a
sign (nvptx/optimise/min_max.c): an operation of which an operand is another of the same
kind, and any operand of the two a negation; and no negation of an absolute value
of an integer, nor one of 16 bits that is used as it is, nor one of 32 that is
shifted, of which it believes too much (nvptx/optimise/negation.c); and no sum of packed
integers of 16 bits, whose constants it loses (nvptx/optimise/packed.c); and no two tests
of bits of one byte of a number, of which it takes one for that of another number
(nvptx/optimise/bit_test.c).

usage: test_signs.py CETANE
"""
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, os.pardir)
CASES = [
    ("programs/negated.dsl", []),
    ("programs/negated.dsl", ["-DM=4", "-DN=6"]),
    ("programs/negated.dsl", ["-DM=64", "-DN=512"]),
    ("programs/nussinov.dsl", []),
    ("fuzz/found/three_bounds.i",
     ["--fp=strict", "--no-contract", "-Dn=7", "-Dm=4"]),
    ("programs/absolute.c", []),
    ("programs/absolute.c", ["-Dn=64"]),
    ("programs/negated_halves.c", []),
    ("programs/negated_halves.c", ["-Dn=64"]),
    ("programs/negated_shift.dsl", []),
    ("programs/negated_shift.dsl", ["-DN=3"]),
    ("programs/negated_shift.dsl", ["-DN=1000"]),
    ("programs/bits.c", []),
    ("programs/bits.c", ["-Dn=64"]),
    ("fuzz/found/half_of_sum.i",
     ["--fp=strict", "--no-contract", "-Dn=1", "-Dm=1"]),
]
LINE = re.compile(r"\s*(?:@!?%p\d+\s+)?([a-z][\w.:]*)\s+(%\w+),\s*(.*);")
EXTREME = re.compile(r"(max|min)\.s(16|32)$")


def chains(ptx):
    """Lines of "ptx" that end a chain, each with the operations it is of."""
    found, made = [], {}

    def operations(register, kind):
        op, operands = made.get(register, ("", []))
        if op != kind:
            return [op]
        return [o for r in operands for o in operations(r, kind)]

    for line in ptx.splitlines():
        if ".entry" in line:
            made = {}
        m = LINE.match(line)
        if not m or m[1].startswith("st."):
            continue
        operands = [r.strip() for r in m[3].split(",")]
        if EXTREME.match(m[1]) and m[2] not in operands and \
                any(made.get(r, ("",))[0] == m[1] for r in operands):
            found.append((line, [o for r in operands
                                 for o in operations(r, m[1])]))
        made[m[2]] = (m[1], [r for r in operands if r != m[2]])
    return found


def uses(ptx, use, operand, of):
    """Lines of "ptx" whose instruction matches "use" where that which made the operand
    at index "operand" matches "of"."""
    found, made = [], {}
    for line in ptx.splitlines():
        m = LINE.match(line)
        if not m or m[1].startswith("st."):
            continue
        if re.match(use, m[1]) and re.match(
                of, made.get(m[3].split(",")[operand].strip(), "")):
            found.append(line)
        made[m[2]] = m[1]
    return found


def negated_absolutes(ptx):
    """Lines of "ptx" that negate an absolute value of an integer."""
    return uses(ptx, r"(neg|sub)\.s\d", -1, r"abs\.s\d")


def shifted_negations(ptx):
    """Lines of "ptx" that shift a negation of 32 bits to the right."""
    return uses(ptx, r"shr\.[sub]32", 0, r"neg\.s32")


def packed_sums(ptx):
    """Lines of "ptx" that add or subtract two integers of 16 bits at once."""
    return re.findall(r".*\b(?:add|sub)\.[su]16x2\b.*", ptx)


def negated_halves(ptx):
    """Lines of "ptx" that use a negation of 16 bits, all of them, for what it is."""
    found, made = [], set()
    for line in ptx.splitlines():
        if ".entry" in line:
            made = set()
        m = LINE.match(line)
        if not m or m[1].startswith("st."):
            continue
        operands = [r.strip() for r in m[3].split(",")]
        if made & set(operands) and not re.match(
                r"xor\.b16|cvt\.\w+\.[su]8", m[1]):
            found.append(line)
        if m[1] == "neg.s16" or (m[1] == "sub.s16" and operands[0] == "0"):
            made.add(m[2])
        elif m[2] not in operands:
            made.discard(m[2])
    return found


def bit_tests(ptx):
    """Lines of "ptx" that test a bit of a byte of which another one is tested."""
    found, made, seen = [], {}, {}
    for line in ptx.splitlines():
        if ".entry" in line:
            made, seen = {}, {}
        m = LINE.match(line)
        if not m or m[1].startswith("st."):
            continue
        operands = [r.strip() for r in m[3].split(",")]
        if re.match(r"setp\.(eq|ne)\.[bsu]\d", m[1]) and operands[0] in made:
            number, bit = made[operands[0]]
            bits = seen.setdefault((number, bit // 8), {bit})
            if bits != {bit}:
                found.append(line)
            if bit % 8 != 7:
                bits.add(bit)
        made.pop(m[2], None)
        if m[1].startswith("and.b") and re.match(r"-?\d+$", operands[1]):
            mask = int(operands[1]) & (1 << int(m[1][5:])) - 1
            if mask and not mask & mask - 1 and mask.bit_length() % 8:
                made[m[2]] = operands[0], mask.bit_length() - 1
    return found


def wrong(ptx):
    return [line for line, operations in chains(ptx)
            if any(o.startswith("neg.") for o in operations)]


class Signs(unittest.TestCase):
    def test_seen(self):
        """What ptxas takes wrongly is found, and no more."""
        start = "neg.s32 %r2, %r1;\nmax.s32 %r4, %r3, %r2;\n"
        self.assertEqual(len(wrong(start + "max.s32 %r6, %r4, %r5;")), 1)
        self.assertEqual(wrong(start + "min.s32 %r6, %r4, %r5;"), [])
        self.assertEqual(wrong(start), [])
        self.assertEqual(len(chains("max.s32 %r4, %r3, %r2;\n"
                                    "max.s32 %r6, %r4, %r5;")), 1)

    def test_absolutes_seen(self):
        start = "abs.s64 %rd2, %rd1;\n"
        self.assertEqual(len(negated_absolutes(start + "neg.s64 %rd3, %rd2;")), 1)
        self.assertEqual(len(negated_absolutes(start + "sub.s64 %rd3, 0, %rd2;")), 1)
        self.assertEqual(negated_absolutes(start + "neg.s64 %rd3, %rd1;"), [])
        self.assertEqual(negated_absolutes(start + "xor.b64 %rd2, %rd2, 1;\n"
                                           "neg.s64 %rd3, %rd2;"), [])

    def test_halves_seen(self):
        start = "neg.s16 %rs2, %rs1;\n"
        self.assertEqual(len(negated_halves(start + "cvt.s32.s16 %r1, %rs2;")), 1)
        self.assertEqual(len(negated_halves(
            "sub.s16 %rs2, 0, %rs1;\nsetp.lt.s16 %p1, %rs2, 5;")), 1)
        self.assertEqual(negated_halves(start + "cvt.s32.s16 %r1, %rs1;"), [])
        self.assertEqual(negated_halves(start + "xor.b16 %rs3, %rs2, -32768;\n"
                                        "shr.s16 %rs4, %rs3, 1;"), [])

    def test_shifts_seen(self):
        start = "neg.s32 %r2, %r1;\n"
        self.assertEqual(len(shifted_negations(start + "shr.s32 %r3, %r2, 2;")), 1)
        self.assertEqual(len(shifted_negations(start + "shr.u32 %r3, %r2, 2;")), 1)
        self.assertEqual(shifted_negations(start + "shr.s32 %r3, %r1, 2;"), [])
        self.assertEqual(shifted_negations(start + "xor.b32 %r3, %r2, 1;\n"
                                           "shr.s32 %r4, %r3, 2;"), [])

    def test_packed_seen(self):
        self.assertEqual(len(packed_sums("add.s16x2 %r3, %r1, 65531;")), 1)
        self.assertEqual(packed_sums("max.s16x2 %r3, %r1, %r2;\n"
                                     "add.s16 %rs3, %rs1, %rs2;"), [])

    def test_bits_seen(self):
        start = "and.b32 %r2, %r1, 1;\nsetp.eq.b32 %p1, %r2, 0;\n"
        other = "setp.ne.b32 %p2, %r3, 0;"
        self.assertEqual(len(bit_tests(start + "and.b32 %r3, %r1, 2;\n" + other)), 1)
        self.assertEqual(len(bit_tests(start + "and.b32 %r3, %r1, 64;\n" + other)), 1)
        for number, mask in ("%r1", 1), ("%r1", 3), ("%r1", 128), ("%r1", 256), (
                "%r4", 2), ("%r1", -2147483648):
            self.assertEqual(bit_tests(
                start + "and.b32 %%r3, %s, %d;\n" % (number, mask) + other), [])

    def test_programs(self):
        n_bit = n_apart = n_absolute = n_half = n_shift = 0
        for name, options in CASES:
            with self.subTest(name=name, options=options):
                ptx = subprocess.run(
                    [CETANE, "build", os.path.join(TESTS, name), *options,
                     "--arch=sm_90a", "--emit=ptx", "-o", "-"], check=True,
                    stdout=subprocess.PIPE, text=True).stdout
                self.assertIn(".entry", ptx)
                self.assertEqual(wrong(ptx), [])
                self.assertEqual(negated_absolutes(ptx), [])
                self.assertEqual(negated_halves(ptx), [])
                self.assertEqual(shifted_negations(ptx), [])
                self.assertEqual(packed_sums(ptx), [])
                self.assertEqual(bit_tests(ptx), [])
                n_bit += len(re.findall(r"setp.*, -1;", ptx))
                n_shift += len(re.findall(r"neg\.s32", ptx))
                n_absolute += len(re.findall(r"abs\.s\d", ptx))
                n_half += ptx.count("neg.s16")
                n_apart += ptx.count("xor.b32")
        self.assertGreater(n_apart, 50)
        self.assertGreater(n_absolute, 10)
        self.assertGreater(n_half, 5)
        self.assertGreater(n_shift, 5)
        self.assertGreater(n_bit, 10)


if __name__ == "__main__":
    CETANE = sys.argv.pop(1)
    unittest.main()
