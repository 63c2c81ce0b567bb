#!/usr/bin/env python3
"""Random schedule scripts on random loop nests: what is accepted computes the same.

usage: random_scripts.py CETANE COUNT [SEED]

Each case is a C function of up to three statements in up to three loops, whose subscripts
and dependences are random, and a script of up to eight random commands, each within
try(). So the compiler chooses the legal ones among them. What comes out is compared with
the interpreter, bit for bit in the ring, on the host device with all checks, and read
back after every pass. More than half of the scripts end with blocks and threads, and copies
in shared memory.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import part

SKIPPED = 77
LOOPS = "ijk"
SIZE = 9


def subscript(r, loops):
    """An affine subscript that stays inside of an array of SIZE + 6."""
    loop = r.choice(loops)
    return r.choice([loop, loop, loop, loop + " + 1", loop + " + 2",
                     "%d - %s" % (SIZE, loop), str(r.randrange(3))])


def access(r, loops):
    name = r.choice("xyzw")
    if name in "xy":
        return "%s[%s]" % (name, subscript(r, loops))
    return "%s[%s][%s]" % (name, subscript(r, loops), subscript(r, loops))


def statement(r, loops):
    target = access(r, loops)
    value = " + ".join(r.choice(["%s", "2.0f * %s"]) % access(r, loops)
                       for _ in range(r.randrange(1, 3)))
    return "%s %s %s;" % (target, r.choice(["=", "=", "+="]), value)


def body(r, depth, outer, n):
    """Statements and loops within the loops "outer"; "n[0]" statements may follow."""
    text = ""
    for _ in range(r.randrange(1, 3)):
        tabs = "\t" * (len(outer) + 1)
        if len(outer) < depth and (not outer or r.random() < 0.7):
            loop = LOOPS[len(outer)]
            low = r.choice(["0", "0", "1"] + ([outer[-1]] if outer else []))
            text += "%sfor (int %s = %s; %s < %s; %s++) {\n%s%s}\n" % (
                tabs, loop, low, loop, r.choice(["n", "n", "n - 1"]), loop,
                body(r, depth, outer + [loop], n), tabs)
        elif outer and n[0] > 0:
            n[0] -= 1
            text += "%s%s\n" % (tabs, statement(r, outer))
    if outer and not text:
        text = "%s%s\n" % ("\t" * (len(outer) + 1), statement(r, outer))
    return text


def program(r):
    m = SIZE + 6
    return ("void f(int n, float x[%d], float y[%d], float z[%d][%d], "
            "float w[%d][%d])\n{\n%s}\n" % (m, m, m, m, m, m, body(
                r, r.randrange(1, 4), [], [3])))


# Statements and loops by number, of those that there are, whatever they are called.
PROLOGUE = """local done, old = 0, try
function try(...)
	if old(...) then done = done + 1 end
end
local function S(n)
	local there = {}
	for s = 0, num_statements() - 1 do
		if pcall(cur_indices, s) then there[#there + 1] = s end
	end
	return there[n % #there + 1]
end
local function L(s, n)
	local names = cur_indices(s)
	return names[n % (#names + 1)] or names[1] or "none"
end
local s
"""


def command(r):
    a, b = ("L(s, %d)" % n for n in r.sample(range(6), 2))
    return "s = S(%d) " % r.randrange(12) + r.choice([
        "try(permute, s, {%s, %s})" % (a, b),
        "try(interchange, s, %s, %s)" % (a, b),
        'try(tile, s, {%s}, {%d}, {method = "%s"})' % (
            a, r.randrange(1, 6), r.choice(["counted", "strided"])),
        "try(tile, s, {%s, %s}, {%d, %d})" % (
            a, b, r.randrange(1, 5), r.randrange(1, 5)),
        "try(skew, s, %s, {[%s] = %d})" % (a, b, r.choice([-1, 1, 2])),
        "try(shift, s, %s, %d)" % (a, r.randrange(-3, 4)),
        "try(reverse, s, %s)" % a,
        "try(scale, s, %s, %d)" % (a, r.choice([2, 3, -2])),
        'try(split, s, %s, %s .. " < %d")' % (a, a, r.randrange(1, 8)),
        'try(split, s, %s, %s .. " >= %d")' % (a, b, r.randrange(1, 8)),
        "try(peel, s, %s, %d)" % (a, r.choice([1, 2, -1])),
        "try(fuse, {s, S(%d)}, %s)" % (r.randrange(12), a),
        "try(distribute, s, %s)" % a,
        "try(unroll, s, %s, %d)" % (a, r.randrange(0, 4)),
        'try(rename, s, %s, "%s")' % (a, r.choice(["p", "q"])),
        "try(parallelize, s, %s)" % a,
    ])


def mapping(r):
    """Blocks and threads: of the first choices that are legal."""
    lines = []
    for _ in range(8):
        block, thread = r.randrange(0, 3), r.randrange(0, 3)
        names = ["L(s, %d)" % n for n in r.sample(range(6), block + thread)]
        lines.append("s = S(%d) try(gpu, {stmt = s, block = {%s}, "
                     "thread = {%s}})" % (
                         r.randrange(6), ", ".join(names[:block]),
                         ", ".join(names[block:])))
    return lines


def copies(r):
    """Copies in shared memory, some of them made an iteration early."""
    lines = []
    for _ in range(r.randrange(4)):
        lines.append("s = S(%d) try(stage, s, \"%s\", L(s, %d), {pad = %d})" % (
            r.randrange(6), r.choice("xyzw"), r.randrange(6), r.choice([0, 0, -2, 4])))
    if lines and r.random() < 0.7:
        lines.append("s = S(%d) for n = 1, 6 do try(pipeline, s, L(s, n)) end" %
                     r.randrange(6))
    return lines


def script(r):
    lines = [command(r) for _ in range(r.randrange(1, 9))]
    if r.random() < 0.6:
        lines += mapping(r) + copies(r)
        lines += [command(r) for _ in range(r.randrange(3))]
    lines.append("print_code()")
    return PROLOGUE + "\n".join(lines) + '\nprint("legal: " .. done)\n'


def run(cetane, work, text, commands):
    with open(os.path.join(work, "f.c"), "w") as f:
        f.write(text)
    with open(os.path.join(work, "f.lua"), "w") as f:
        f.write(commands)
    return subprocess.run(
        [cetane, "run", "f.c", "-D", "n=%d" % SIZE, "--schedule=f.lua",
         "--roundtrip", "--semantics=ring", "--verify=full",
         "--sanitize=bounds,uninit,race", "--live-out=all",
         "--host-orders=3"],
        capture_output=True, text=True, cwd=work)


def judge(done):
    """"right", "refused", or "failed", and how many commands were accepted."""
    found = re.search(r"legal: (\d+)", done.stderr)
    if done.returncode == 1 and not found and "E33" not in done.stderr:
        return "refused", 0
    right = done.returncode == 0 and found and "not verified" not in done.stdout
    return "right" if right else "failed", int(found[1]) if found else 0


def main():
    cetane, count = sys.argv[1], int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    failed = legal = refused = 0
    for seed in part.chosen(range(first, first + count)):
        r = random.Random(seed)
        text, commands = program(r), script(r)
        with tempfile.TemporaryDirectory() as work:
            done = run(cetane, work, text, commands)
        if "E337" in done.stderr:
            return SKIPPED
        outcome, n = judge(done)
        legal += n
        refused += outcome == "refused"
        if outcome == "failed":
            failed += 1
            print("seed %d: exit code %d\n%s%s\n%s%s" % (
                seed, done.returncode, text, commands, done.stdout,
                done.stderr))
    print("%d scripts, %d commands accepted, %d programs refused, %d failed" % (
        count, legal, refused, failed))
    return failed > 0 or (legal < count and not part.PART)


if __name__ == "__main__":
    sys.exit(main())
