"""Random programs in index notation whose positions are data.

The tree of a program is a list of definitions. ["cells", name, extents, start, updates]
has one or two dimensions, whose extents are numbers or sizes, and begins as the
expression "start" of its indices "b" and "c"; an update is ["update", operator,
positions, condition or None, value], over "i", and over "c" where that stands by itself
among the positions. ["map", name, value] has an element for each "i". An expression is
["num", text], ["read", input], of "i", ["row"], of "i" and "c", ["at", name,
positions], of an input or of an earlier definition, or ["bin", operator, a, b]; a
position is ["index", name], or such an expression of integers. Updates may be outside;
what is read is what "k" and "l" tell, which are made up to be inside.
"""
import random

import shrinking

KINDS = ["i32", "i32", "i32", "i64", "u32", "i16", "u8", "f32", "f64", "f16"]
TOLD = ["i32", "i32", "i64", "u8", "i8", "u32"]
EXTENTS = ["1", "2", "7", "8", "9", "31", "64", "100", "256", "300", "1000", "B",
           "B", "M"]
COUNTS = [1, 2, 3, 5, 8, 17, 64, 65, 300, 1000, 4096, 5000, 9001]


class Program(shrinking.Sized):
    def __init__(self, tree, kinds, sizes):
        self.tree, self.kinds, self.sizes = tree, kinds, sizes

    def used(self, e):
        """The inputs that "e" reads."""
        if not isinstance(e, list):
            return set()
        mine = {e[1]} if e and e[0] in ("read", "at") else \
            {"g"} if e and e[0] == "row" else set()
        return mine.union(*[self.used(x) for x in e])

    def text(self):
        if not self.tree:
            raise ValueError
        names = [d[1] for d in self.tree]
        read = self.used(self.tree)
        if any(n[0] == "d" and n not in names for n in read):
            raise ValueError
        shapes = {"k": "N", "l": "N", "v": "N", "g": "N,M", "x": "B", "y": "B,M"}
        lines = ["param N, M, B;", "assume 1 <= N <= 1073741824, M >= 1, "
                 "1 <= B <= 1073741824;"]
        lines += ["tensor %s %s(%s);" % (self.kinds[n], n, shapes[n])
                  for n in sorted(shapes) if n in read]
        self.shape = {"x": 1, "y": 2}
        for d in self.tree:
            lines += self.definition(d)
        return "\n".join(lines) + "\n"

    def definition(self, d):
        if d[0] == "map":
            self.shape[d[1]] = 1
            return ["out %s(i) for 0 <= i < N = %s;" % (d[1], self.value(d[2]))]
        _, name, extents, start, updates = d
        self.shape[name] = len(extents)
        indices = "bc"[:len(extents)]
        lines = ["out %s(%s) for %s = %s;" % (
            name, ",".join(indices), ", ".join(
                "0 <= %s < %s" % x for x in zip(indices, extents)),
            self.value(start))]
        for _, op, at, condition, value in updates:
            if len(at) != len(extents) or not any(p[0] != "index" for p in at):
                raise ValueError
            conds = ["0 <= i < N"] + ([condition] if condition else [])
            if ["index", "c"] not in at and ["row"] in self.nodes(value):
                conds.append("0 <= c < M")
            lines.append("%s(%s) for %s %s %s;" % (
                name, ", ".join(self.position(p) for p in at),
                ", ".join(conds), op, self.value(value)))
        return lines

    def nodes(self, e):
        return [n for _, n in shrinking.nodes(e)]

    def position(self, p):
        return p[1] if p[0] == "index" else self.expr(p, None)

    def value(self, e):
        return self.expr(e, self.kinds["v"])

    def expr(self, e, kind):
        """With "kind", converted to it; positions are as they are."""
        of = kind or ""
        if e[0] == "num":
            return "%s(%s)" % (of, e[1]) if kind else e[1]
        if e[0] == "read":
            return "%s(%s(i))" % (of, e[1])
        if e[0] == "row":
            return "%s(g(i,c))" % of
        if e[0] == "index":
            return "%s(%s)" % (of, e[1])
        if e[0] == "at":
            if self.shape.get(e[1]) != len(e[2]):
                raise ValueError
            return "%s(%s(%s))" % (of, e[1], ", ".join(
                self.position(p) for p in e[2]))
        if e[1] in ("min", "max"):
            return "%s(%s, %s)" % (e[1], self.expr(e[2], kind),
                                   self.expr(e[3], kind))
        return "(%s %s %s)" % (self.expr(e[2], kind), e[1],
                               self.expr(e[3], kind))

    def instead(self, node):
        if node[0] in ("cells", "map", "update"):
            yield None
        if node[0] == "update" and node[3]:
            yield node[:3] + [None] + node[4:]
        if node[0] in ("bin", "at", "row"):
            yield ["num", "1"]
        if node[0] == "bin":
            yield from node[2:]


class Maker:
    def __init__(self, seed):
        self.r = r = random.Random("positions %d" % seed)
        kind = r.choice(KINDS)
        self.is_float = kind[0] == "f"
        self.kinds = {"k": r.choice(TOLD), "l": r.choice(TOLD), "v": kind,
                      "g": kind, "x": kind, "y": kind}
        self.sizes = {"N": r.choice(COUNTS), "M": r.choice([1, 2, 3, 5, 8]),
                      "B": r.choice([1, 3, 8, 20, 256, 500])}
        self.made = []

    def place(self):
        """A position that data tell, or that is some function of an index."""
        r, roll = self.r, self.r.random()
        told = ["read", r.choice("kkl")]
        if roll < .6:
            return told
        if roll < .7:
            return ["bin", "%", ["index", "i"], ["num", str(r.choice(
                [2, 7, 100]))]]
        if roll < .8:
            return ["bin", r.choice("+-"), told, ["num", str(r.randrange(4))]]
        return ["bin", r.choice(["%", "/"]), told, ["num", str(r.choice(
            [2, 3, 9, 64]))]]

    def element(self):
        """Of something at a position that data tell."""
        name, rank = self.r.choice(self.made + [("x", 1), ("y", 2)])
        return ["at", name, [["read", self.r.choice("kkl")]
                             for _ in range(rank)]]

    def value(self, depth, row):
        r, roll = self.r, self.r.random()
        if depth and roll < .35:
            ops = ["+", "-", "*", "min", "max"]
            return ["bin", r.choice(ops), self.value(depth - 1, row),
                    self.value(depth - 1, row)]
        if roll < .5:
            return self.element()
        if row and roll < .7:
            return ["row"]
        return ["num", str(r.randrange(4))] if roll < .8 else ["read", "v"]

    def cells(self, name):
        r = self.r
        extents = [r.choice(EXTENTS) for _ in range(r.choice([1, 1, 1, 2]))]
        if len(extents) == 2:
            extents = [r.choice(["3", "20", "B"]), r.choice(["2", "8", "M"])]
        start = ["num", str(r.randrange(3))] if r.random() < .7 else \
            ["bin", "+", ["num", "1"], ["index", "b"]]
        updates = []
        for _ in range(r.choice([1, 1, 1, 2])):
            at = [self.place()]
            row = len(extents) == 2 and extents[1] == "M" and r.random() < .6
            if len(extents) == 2:
                at.append(["index", "c"] if row else self.place())
            ops = ["+=", "+=", "+=", "min=", "max="] + (
                [] if self.is_float else ["*="])
            updates.append(["update", r.choice(ops), at, r.choice(
                [None, None, "i % 3 == 1", "i >= 2"]), self.value(
                    r.choice([0, 0, 1, 2]), row)])
        self.made.append((name, len(extents)))
        return ["cells", name, extents, start, updates]

    def program(self):
        tree = []
        for k in range(self.r.choice([1, 2, 2, 3])):
            name = "d%d" % k
            if self.r.random() < .7:
                tree.append(self.cells(name))
            else:
                tree.append(["map", name, ["bin", "+", self.element(),
                                           self.value(2, False)]])
                self.made.append((name, 1))
        return Program(tree, self.kinds, self.sizes)


def make(seed):
    return Maker(seed).program()
