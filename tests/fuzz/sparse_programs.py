"""Random programs in index notation over rows whose bounds are data.

A program is a list of definitions, each ["rows", name, real, how, begin, times,
condition, term, around], one with elements y(i), or ["wide", ...], the same with a second
index "k": C(i,k). Row i has the steps j from "begin" from(i) on, of which there are at
most "times" len(i), "how" is "sum" or "prod", "condition" another one of them, or None,
and "around" is what is done with the row's value. Terms are ["val"], ["x"], which col(j)
tells, ["B"], of k, too, ["before", name], an earlier definition at a position that col(j)
tells, ["step"], ["row"], ["num", n] and ["bin", operator, a, b]. Inputs lie from 0 to 8, or
-4 to 4, or -1 to 1, and all steps lie inside of the arrays of steps.
"""
import random

import shrinking

REAL, WHOLE = ["f32", "f32", "f64", "f16"], ["i32", "i64", "u32", "i16"]
BOUNDS = ["u8", "u16", "u32", "u32"]
CONDITIONS = [None, None, None, "j % 3 != 1", "ival(j) > 0", "j < 2 * i + 5",
              "i < 3"]
AROUND = ["%s", "%s", "%s", "%s + 1", "2 * %s", "max(%s, 0)", "%s + w(i)"]
STEPS = 900     # more than all rows have


class Program(shrinking.Sized):
    def __init__(self, tree, kinds, sizes):
        self.tree, self.kinds, self.sizes = tree, kinds, sizes

    def kind(self, real):
        return self.kinds["real" if real else "whole"]

    def term(self, e, real):
        of = self.kind(real)
        if e[0] == "bin":
            return "(%s %s %s)" % (self.term(e[2], real), e[1],
                                   self.term(e[3], real))
        if e[0] == "before":
            # An earlier definition, of 9 elements or more.
            return "%s(%s(col(j)))" % (of, e[1])
        if e[0] == "num":
            return "%s(%d)" % (of, e[1])
        if e[0] in ("step", "row"):
            return "%s(%s %% 4)" % (of, "j" if e[0] == "step" else "i")
        mark = "" if real else "i"
        return mark + {"val": "val(j)", "x": "x(col(j))", "B": "B(col(j),k)"}[e[0]]

    def definition(self, d):
        what, name, real, how, begin, times, condition, term, around = d
        low = "%d * i32(from(i))" % begin
        bounds = "%s <= j < %s + %d * i32(len(i))" % (low, low, times)
        if condition:
            bounds += ", " + condition
        # What names "j" and reads nothing is all that says where it is.
        if not self.used(d) & {"val", "ival", "col"} or "j" in (condition or "").replace(
                "(j)", ""):
            bounds += ", 0 <= j < %d" % STEPS
        value = "%s(j for %s: %s)" % (how, bounds, self.term(term, real))
        if "w(i)" in around:
            around = around.replace("w(i)", self.kind(real) + "(w(i))")
        return "out %s(i%s) for 0 <= i < N%s = %s;" % (
            name, ",k" if what == "wide" else "",
            ", 0 <= k < F" if what == "wide" else "", around % value)

    def used(self, d):
        """The arrays of steps and of what "col" tells that a definition reads."""
        words = {n[0] for _, n in shrinking.nodes(d)}
        mark = "" if d[2] else "i"
        used = {mark + w for w in words & {"val", "x", "B"}}
        if words & {"x", "B", "before"}:
            used.add("col")
        if "ival" in (d[6] or ""):
            used.add("ival")
        return used | ({"w"} if "w(i)" in d[8] else set())

    def text(self):
        if not self.tree:
            raise ValueError
        names = [d[1] for d in self.tree]
        for k, d in enumerate(self.tree):
            for _, n in shrinking.nodes(d):
                if n[0] == "before" and n[1] not in names[:k]:
                    raise ValueError
        used = {"from", "len"}.union(*[self.used(d) for d in self.tree])
        real, whole, bound = self.kind(True), self.kind(False), self.kinds["bound"]
        shapes = [(bound, "from", "N"), (bound, "len", "N"),
                  (self.kinds["told"], "col", STEPS), (real, "val", STEPS),
                  (whole, "ival", STEPS), (real, "x", 9), (whole, "ix", 9),
                  (real, "B", "9,F"), (whole, "iB", "9,F"), (whole, "w", "N")]
        lines = ["param %s;" % ", ".join(self.sizes), "assume N >= 1;"]
        lines += ["tensor %s %s(%s);" % (t, a, s) for t, a, s in shapes if a in used]
        return "\n".join(lines + [self.definition(d) for d in self.tree]) + "\n"

    def instead(self, node):
        if node[0] in ("rows", "wide"):
            yield None
            for at in 4, 5:
                if node[at] > 1:
                    yield node[:at] + [node[at] // 2] + node[at + 1:]
            if node[6]:
                yield node[:6] + [None] + node[7:]
            if node[8] != "%s":
                yield node[:8] + ["%s"]
        elif node[0] == "bin":
            yield from node[2:]
        elif node[0] != "num":
            yield ["num", 1]


def term(r, wide, before, depth=0):
    if depth < 2 and r.random() < .5:
        return ["bin", r.choice("***+-"), term(r, wide, before, depth + 1),
                term(r, wide, before, depth + 1)]
    return r.choice([["val"], ["val"], ["B"] if wide else ["x"],
                     ["B"] if wide else ["x"], ["step"], ["row"],
                     ["num", r.randrange(1, 4)]] + before)


def make(seed):
    """The program that "seed" stands for."""
    r = random.Random("sparse %d" % seed)
    sizes = {"N": r.choice([1, 2, 3, 9, 33, 70]), "F": r.choice([1, 2, 3, 8, 32, 37])}
    kinds = {"real": r.choice(REAL), "whole": r.choice(WHOLE),
             "bound": r.choice(BOUNDS), "told": r.choice(["u8", "u16", "u32"])}
    tree = []
    for k in range(r.choice([1, 1, 2, 3])):
        wide, real = r.random() < .35, r.random() < .6
        before = [["before", d[1]] for d in tree
                  if d[0] == "rows" and d[2] == real and sizes["N"] >= 9]
        tree.append(["wide" if wide else "rows", "%s%d" % ("C" if wide else "y", k),
                     real, "prod" if r.random() < .1 else "sum",
                     r.choice([0, 1, 1, 2]), r.choice([1, 1, 2, 5, 40, 100]),
                     r.choice(CONDITIONS), term(r, wide, before), r.choice(AROUND)])
    if all(d[0] == "rows" for d in tree):
        del sizes["F"]
    return Program(tree, kinds, sizes)
