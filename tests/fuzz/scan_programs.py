"""Random recurrences in index notation that are scans, or nearly so.

The tree of a program is a list of definitions: ["def", name, axis, first, step,
value, factor, output]. All have the indices of the inputs, "ijk" of one to three
dimensions. A definition goes along "axis" from "first" on, where its value is its
"value"; behind that it is

    step ["+"] and so on:   its last value, the operator, "value"
    step ["linear"]         "factor" times its last value plus "value"
    step ["map"]            no recurrence, just the value

An expression is ["read", name] of an input, or of an earlier definition at the same
place, ["num", text], ["before", name], an earlier one's last value, or ["bin",
operator, a, b]. Types are those of integers, or floats, whose values stay small.
"""
import math
import random

import shrinking

INDICES, SIZES = "ijk", "ABC"
EXTENT = dict(zip(INDICES, SIZES))
INTEGERS = ["i32", "i32", "i8", "i16", "u32", "i64"]
FLOATS = ["f32", "f32", "f64"]
SHORT = [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 64, 100, 127, 128, 129, 255, 500,
         1000, 1024, 1025]
# Of warps, of a block, and of tiles.
LONG = [2047, 4096, 4097, 5000, 8191, 8192, 8193, 8210, 12345, 20000]
MOST_POINTS = 24000


class Program(shrinking.Sized):
    def __init__(self, tree, inputs, sizes, kind):
        """"inputs": names of arrays of all indices of the sizes"""
        self.tree, self.inputs, self.sizes = tree, inputs, sizes
        self.kind = kind
        self.at = INDICES[:len(sizes)]

    def reads(self, e):
        if e[0] in ("read", "before"):
            yield e[1]
        for a in e[2:]:
            if isinstance(a, list):
                yield from self.reads(a)

    def text(self):
        if not self.tree:
            raise ValueError
        read = [n for d in self.tree for e in d[5:7] for n in self.reads(e)]
        lines = ["param %s;" % ", ".join(self.sizes)]
        lines += ["tensor %s %s(%s);" % (self.kind, n, ",".join(
            EXTENT[i] for i in self.at)) for n in self.inputs if n in read]
        self.first = {n: {} for n in self.inputs}
        for d in self.tree:
            lines.append(self.definition(d, d[7] or d[1] not in read))
        return "\n".join(lines) + "\n"

    def definition(self, d, output):
        _, name, axis, first, step, value, factor, _ = d
        # Where values exist: behind those of all that is read.
        begin = {axis: first}
        for e in (value, factor) if step[0] == "linear" else (value,):
            for part in self.parts(e):
                for i, n in self.first[part[1]].items():
                    more = part[0] == "before" and i == self.axis_of(part[1])
                    begin[i] = max(begin.get(i, 0), n + more)
        self.first[name] = begin
        ranges = ", ".join("%d <= %s < %s" % (begin.get(i, 0), i, EXTENT[i])
                           for i in self.at)
        head = "%s%s(%s) for %s = " % ("out " if output else "", name,
                                      ",".join(self.at), ranges)
        v = self.expr(value)
        if step[0] == "map":
            return head + v + ";"
        last = "%s(%s)" % (name, self.place(axis, -1))
        if step[0] == "linear":
            then = "%s * %s + %s" % (self.expr(factor), last, v)
        elif step[0] in ("min", "max"):
            then = "%s(%s, %s)" % (step[0], v, last)
        else:
            then = "%s %s %s" % (last, step[0], v)
        return head + "case { %s == %d: %s; else: %s; };" % (
            axis, begin[axis], v, then)

    def parts(self, e):
        if e[0] in ("read", "before"):
            yield e
        for a in e[2:]:
            if isinstance(a, list):
                yield from self.parts(a)

    def axis_of(self, name):
        return next((d[2] for d in self.tree if d[1] == name), self.at[-1])

    def place(self, axis, by):
        return ",".join(i + "-1" if i == axis and by else i for i in self.at)

    def expr(self, e):
        if e[0] == "num":
            return e[1]
        if e[0] == "read":
            return "%s(%s)" % (e[1], ",".join(self.at))
        if e[0] == "before":
            if not any(d[1] == e[1] for d in self.tree):
                raise ValueError
            return "%s(%s)" % (e[1], self.place(self.axis_of(e[1]), -1))
        if e[1] in ("min", "max"):
            return "%s(%s, %s)" % (e[1], self.expr(e[2]), self.expr(e[3]))
        return "(%s %s %s)" % (self.expr(e[2]), e[1], self.expr(e[3]))

    def instead(self, node):
        if node[0] == "def":
            yield None
            if node[3]:
                yield node[:3] + [0] + node[4:]
            if node[4][0] not in ("map", "+"):
                yield node[:4] + [["+"]] + node[5:]
        if node[0] == "bin":
            yield from node[2:]


class Maker:
    def __init__(self, seed):
        self.r = r = random.Random("scans %d" % seed)
        self.rank = r.choice([1, 1, 2, 2, 2, 3])
        self.at = INDICES[:self.rank]
        self.integers = r.random() < .6
        self.kind = r.choice(INTEGERS if self.integers else FLOATS)
        self.inputs = ["x%d" % k for k in range(r.choice([1, 2]))]
        self.sizes = self.some_sizes()
        self.tree = []

    def some_sizes(self):
        r = self.r
        long = r.choice(self.at) if r.random() < .4 else ""
        while True:
            sizes = {EXTENT[i]: r.choice(SHORT) for i in self.at}
            if long:
                sizes[EXTENT[long]] = r.choice(LONG)
            if math.prod(sizes.values()) <= MOST_POINTS:
                break
        if r.random() < .03:
            sizes[r.choice(list(sizes))] = 0
        return sizes

    def expr(self, depth):
        r = self.r
        if depth == 0 or r.random() < .3:
            names = self.inputs + [d[1] for d in self.tree]
            name = r.choice(names)
            if name not in self.inputs and r.random() < .3:
                return ["before", name]
            return ["read", name]
        a = self.expr(depth - 1)
        if r.random() < .3:
            b = ["num", r.choice(["2", "3"] if self.integers else
                                 ["0.5", "2.0", "0.25"])]
        else:
            b = self.expr(depth - 1)
        return ["bin", r.choice(["+", "*", "min", "max"] if b == a else
                                ["+", "-", "*", "min", "max"]), a, b]

    def program(self):
        r = self.r
        for k in range(r.choice([1, 1, 2, 3])):
            steps = ["+", "+", "-", "linear", "linear", "min", "max"]
            if self.integers:
                steps += ["*", "&", "|"]
            step = [r.choice(steps)] if r.random() < .85 else ["map"]
            factor = self.expr(1)
            if not self.integers:       # that values stay small
                factor = ["bin", "*", ["num", "0.5"], factor]
            self.tree.append(["def", "d%d" % k, r.choice(self.at),
                              r.choice([0, 0, 0, 1, 2, 5]), step, self.expr(1),
                              factor, r.random() < .3])
        return Program(self.tree, self.inputs, self.sizes, self.kind)


def make(seed):
    """The program that "seed" stands for."""
    return Maker(seed).program()
