"""Random programs in index notation.

The tree of a program is a list of definitions: ["def", name, type, indices,
conditions, operator, pieces, reduced indices]; a piece is ["piece", condition or None,
expression], a condition ["cond", affine, sign, affine], or what values decide:
["guard", "and" or "or", comparison, condition, if any]. At the program's sizes
the points of each definition are enumerated, and each read is checked against
them, so that few programs are refused. Inputs have the extents that the reads
need, shifted where a position is negative. A gather is ["gather", table, positions,
cast], where positions that are no terms read the input "Q".
"""
import functools
import random

import affine
import shrinking
from affine import term

FLOATS = ["f64", "f32"]
FAMILIES = [["f32"], ["f64"], ["f32", "f64"], ["i32"], ["f32", "i32"],
            ["f64", "i64", "i32"], ["f32", "f16"], ["f32", "bf16"], ["i64"],
            ["i32", "i8"], ["u8", "i32"]]
SIGNS = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
         "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
         ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
MOST_POINTS, MOST_READS = 700, 4000
GATHERED = 7        # elements of a dimension that data tell positions in
MOST_ELEMENTS = 1 << 21      # of one array


def is_float(kind):
    return kind[0] in "fb"


def may_hold(cond, env):
    if not cond or (cond[0] == "guard" and (len(cond) < 4 or cond[1] == "or")):
        return True
    return holds(cond[3] if cond[0] == "guard" else cond, env)


def surely_holds(cond, env):
    if cond and cond[0] == "guard":
        return len(cond) > 3 and cond[1] == "or" and holds(cond[3], env)
    return may_hold(cond, env)


def holds(cond, env):
    return SIGNS[cond[2]](affine.value(cond[1], env),
                          affine.value(cond[3], env))


@functools.lru_cache(10000)
def values_where(test):
    """A function of the table "p": the values "v" that pass the test."""
    return eval("lambda p: [v for v in range(-8, 80) if %s]" % test)


def enumerate_points(names, conds, env, most=MOST_POINTS):
    """The values of "names" that meet the conditions, within -8 ... 80."""
    points = [dict(env)]
    for k, name in enumerate(names):
        known = set(env) | set(names[:k + 1])
        mine = [c for c in conds if name in set(c[1][1]) | set(c[3][1]) and
                set(c[1][1]) | set(c[3][1]) <= known]
        values = values_where(" and ".join("%s %s %s" % (
            affine.source(c[1], name), c[2], affine.source(c[3], name))
            for c in mine) or "True")
        grown = []
        for p in points:
            grown += [dict(p, **{name: v}) for v in values(p)]
            if len(grown) > most:
                raise ValueError
        points = grown
    return points


def ends(a, env):
    """The least and the greatest value of a term without a remainder; "env" has
    those of names.
    """
    _, names, constant, divisor, _ = a
    at = [[c * x for x in env[k]] for k, c in names.items()]
    return ((constant + sum(map(min, at))) // divisor,
            (constant + sum(map(max, at))) // divisor)


def may_compare(cond, env):
    """Whether some values within the intervals may meet the condition."""
    (low, high), (least, most) = ends(cond[1], env), ends(cond[3], env)
    return {"<": low < most, "<=": low <= most, ">": high > least,
            ">=": high >= least}.get(cond[2], True)


def box(names, conds, sizes):
    """How many points the loops of a definition go through, and at least how many
    elements its array has. They may be many where it has few points: what remainders
    rule out is not seen in extents.
    """
    env = {k: (v, v) for k, v in sizes.items()}
    elements = 1
    for name in names:
        mine = [c for c in conds if not c[1][4] and not c[3][4] and
                name in set(c[1][1]) | set(c[3][1]) <= set(env) | {name}]
        within = [v for v in range(-8, 80) if all(
            may_compare(c, dict(env, **{name: (v, v)})) for c in mine)] or [0]
        env[name] = within[0], within[-1]
        elements *= within[-1] - within[0] + 1
    return elements


class Program(shrinking.Sized):
    def __init__(self, tree, inputs, sizes):
        self.tree, self.inputs, self.sizes = tree, inputs, sizes

    # ------------------------------------------------------------- analysis

    def analyse(self):
        """Extents of inputs; ValueError for reads that are outside, and for
        arrays that are large.
        """
        self.seen, self.points, self.reads = {}, {}, 0
        for d in self.tree:
            env = dict(self.sizes)
            if box(d[3] + d[7], d[4], env) > MOST_ELEMENTS:
                raise ValueError
            points = enumerate_points(d[3] + d[7], d[4], env)
            self.points[d[1]] = {tuple(p[n] for n in d[3]) for p in points}
            rest = points
            for piece in d[6]:
                if len(piece) != 3:     # its condition was taken out
                    raise ValueError
                inside = [p for p in rest if may_hold(piece[1], p)]
                rest = [p for p in rest if not surely_holds(piece[1], p)]
                if piece[1] and piece[1][0] == "guard":
                    self.walk(piece[1][2], [p for p in inside
                                            if not surely_holds(piece[1], p)])
                self.walk(piece[2], inside)
            if rest:
                raise ValueError
        size = {}
        for (name, _), (low, high) in self.seen.items():
            size[name] = size.get(name, 1) * (high - low + 1)
            if size[name] > MOST_ELEMENTS:
                raise ValueError

    def walk(self, e, points):
        """Note what "e" reads at each of the points."""
        if not isinstance(e, list):
            return
        if e and e[0] == "read":
            self.read(e, points)
        if e and e[0] == "gather":
            self.gather(e, points)
        if e and e[0] == "reduce":
            inner = []
            for p in points:
                inner += enumerate_points(e[2], e[3], p)
                if len(inner) > MOST_READS:
                    raise ValueError
            self.walk(e[4], inner)
            return
        for child in e:
            self.walk(child, points)

    def read(self, e, points):
        self.reads += len(points)
        if self.reads > 5 * MOST_READS:
            raise ValueError
        at = {tuple(affine.value(a, p) for a in e[2]) for p in points}
        if e[1] not in self.inputs:
            if not at <= self.points[e[1]]:
                raise ValueError
            return
        self.seen[e[1], -1] = (0, 0)
        for d in range(len(e[2])):
            values = [t[d] for t in at] or [0]
            old = self.seen.get((e[1], d), (0, 0))
            self.seen[e[1], d] = (min(old[0], *values), max(old[1], *values))

    def gather(self, e, points):
        """Note the positions of a gather that are terms; the others are any."""
        for d, a in enumerate(e[2]):
            values = [affine.value(a, p) for p in points] or [0] \
                if a[0] == "aff" else [0, GATHERED - 1]
            old = self.seen.get((e[1], d), (0, 0))
            self.seen[e[1], d] = (min(old[0], *values), max(old[1], *values))

    # ----------------------------------------------------------------- text

    def conds(self, conds):
        return ", ".join("%s %s %s" % (affine.text(a), sign, affine.text(b))
                         for _, a, sign, b in conds)

    def guard(self, c):
        if c[0] != "guard":
            return self.conds([c])
        return " ".join([self.expr(c[2])] + (
            [c[1], self.conds(c[3:])] if len(c) > 3 else []))

    def expr(self, e):
        kind = e[0]
        if kind in ("num", "index"):
            return e[1]
        if kind == "read":
            at = ", ".join(affine.text(a, -self.seen.get((e[1], d), (0,))[0])
                           for d, a in enumerate(e[2]))
            text = "%s(%s)" % (e[1], at)
            return "%s(%s)" % (e[3], text) if e[3] else text
        if kind == "gather":
            at = ", ".join(
                affine.text(a, -self.seen.get((e[1], d), (0,))[0])
                if a[0] == "aff" else self.expr(a)
                for d, a in enumerate(e[2]))
            text = "%s(%s)" % (e[1], at)
            return "%s(%s)" % (e[3], text) if e[3] else text
        if kind == "bin":
            return "(%s %s %s)" % (self.expr(e[2]), e[1], self.expr(e[3]))
        if kind == "call":
            return "%s(%s)" % (e[1], ", ".join(self.expr(x) for x in e[2:]))
        if kind == "reduce":
            text = "%s(%s for %s: %s)" % (e[1], ", ".join(e[2]),
                                          self.conds(e[3]), self.expr(e[4]))
            return "%s(%s)" % (e[5], text) if len(e) > 5 else text
        return "(%s ? %s : %s)" % tuple(self.expr(x) for x in e[1:])

    def definition(self, d):
        head = "out %s(%s)" % (d[1], ", ".join(d[3]))
        if d[4]:
            head += " for " + self.conds(d[4])
        if len(d[6]) == 1 and not d[6][0][1]:
            return "%s %s %s;" % (head, d[5], self.expr(d[6][0][2]))
        return "%s = case { %s };" % (head, " ".join("%s: %s;" % (
            self.guard(p[1]) if p[1] else "else", self.expr(p[2]))
            for p in d[6]))

    def extent(self, name, d, need):
        """The extent of a dimension: a size, or a part of one, and more."""
        size, value = "NM"[d % 2], self.sizes["NM"[d % 2]]
        if ord(name) % 3 == d % 3:
            size, value = [
                ("%s/2" % size, value // 2), ("%s%%3" % size, value % 3),
                ("(2*%s+1)/3" % size, (2 * value + 1) // 3)][ord(name) % 2 + (
                    value > 4)]
        if need < value:
            return "%d" % need
        return "%s + %d" % (size, need - value) if need > value else size

    def text(self):
        self.analyse()
        lines = ["param %s;" % ", ".join(self.sizes)]
        used = {n for n, _ in self.seen}
        for name in sorted(used):
            kind, rank = self.inputs[name]
            ends = [self.seen[name, d] for d in range(rank)]
            extents = []
            for d, (low, high) in enumerate(ends):
                extents.append(self.extent(name, d, high - low + 1))
            lines.append("tensor %s %s(%s);" % (kind, name,
                                                ", ".join(extents)))
        return "\n".join(lines + [self.definition(d)
                                  for d in self.tree]) + "\n"

    # -------------------------------------------------------------- smaller

    def instead(self, node):
        kind = node[0]
        if kind in ("def", "cond"):
            yield None
        if kind == "def" and len(node[6]) > 1:
            for piece in node[6]:
                yield node[:6] + [[["piece", None, piece[2]]], node[7]]
        if kind == "aff":
            yield from affine.simpler(node)
        if kind in ("bin", "call", "cond?", "read", "gather", "reduce"):
            yield ["num", "1"]
        if kind in ("bin", "call", "cond?"):
            yield from (x for x in node[1:] if isinstance(x, list))


class Maker:
    def __init__(self, seed):
        self.r = random.Random("index %d" % seed)
        self.guards = random.Random("guards %d" % seed)
        self.quotients = random.Random("quotients %d" % seed)
        self.places = random.Random("places %d" % seed)
        r = self.r
        self.family = r.choice(FAMILIES)
        self.sizes = {"N": r.choice([1, 2, 3, 4, 5, 6, 7, 7, 9, 11]),
                      "M": r.choice([1, 2, 3, 4, 5, 5])}
        if r.random() < .08:
            self.sizes["N"] = r.choice([17, 33])
        self.inputs = {n: (r.choice(self.family),
                           r.choice([0, 1, 1, 2, 2, 2, 3, 4, 5]))
                       for n in "ABCE"[:r.randrange(1, 5)]}
        self.tree = []
        self.data = random.Random("data %d" % seed)
        self.tables = {
            "Q": (self.data.choice(["i32", "i64", "u8", "i8", "u32", "i16"]),
                  self.data.choice([0, 1, 1, 1, 2])),
            "X": (self.data.choice(self.family), self.data.choice([1, 2, 2, 3]))}

    def quotient(self, names):
        """A quotient, a remainder, or the remainder of a quotient."""
        r = self.quotients
        a, b = r.choice(names), r.choice(names + ["N", "M"])
        return ["aff", {a: r.choice([1, 1, 1, 2, 3, -1]),
                        **({b: r.choice([1, -1])} if b != a and
                           r.random() < .4 else {})}, r.randrange(-4, 6),
                r.choice([1, 2, 2, 3, 4, 5]), r.choice([0, 0, 2, 3, 4])]

    def aff(self, names):
        r = self.r
        if names and self.quotients.random() < .1:
            return self.quotient(names)
        if not names or r.random() < .04:
            return term(r.randrange(0, 2))
        v, roll = r.choice(names), r.random()
        if roll < .6:
            return term(**{v: 1})
        if roll < .75:
            return term(r.choice([-1, 1, -2, 1]), **{v: 1})
        if roll < .82 and len(names) > 1:
            a, b = r.sample(names, 2)
            return term(**{a: 1, b: r.choice([1, -1])})
        if roll < .87:
            return term(r.randrange(2), **{v: 2})
        if roll < .92:
            return term(-1, **{v: -1, r.choice("NM"): 1})
        if roll < .96:
            return term(r.randrange(2), divisor=2, **{v: 1})
        return term(modulus=r.choice([2, 3]), **{v: 1})

    def divided(self, cond, name):
        """The condition, now and then with quotients on both sides."""
        r = self.quotients
        cond = list(cond)
        for side in (1, 3):
            _, has, constant, divisor, modulus = cond[side]
            if divisor > 1 or modulus or r.random() > .12:
                continue
            if set(has) == {name}:
                cond[side] = term(constant + r.randrange(2), divisor=2,
                                  **has)
            elif has and name not in has:
                cond[side] = term(constant + r.randrange(-1, 3),
                                  divisor=r.choice([2, 2, 3]), **{
                                      k: c * r.choice([1, 2, 3])
                                      for k, c in has.items()})
        return cond

    def ranges(self, names, around=()):
        """Conditions that bound each of the names."""
        r, conds = self.r, []
        for k, v in enumerate(names):
            low, high = term(r.choice([0, 0, 0, 0, 1, -1])), term(
                **{r.choice("NNM"): 1})
            sign = "<"
            others = list(around) + names[:k]
            if others and r.random() < .3:
                o = r.choice(others)
                if r.random() < .5:
                    high, sign = term(**{o: 1}), r.choice(["<", "<="])
                else:
                    low = term(r.randrange(2), **{o: 1})
            elif r.random() < .1:
                high = term(r.randrange(1, 5))
            conds += [self.divided(c, v) for c in (
                ["cond", low, "<=", term(**{v: 1})],
                ["cond", term(**{v: 1}), sign, high])]
            if self.quotients.random() < .06:
                a = self.quotient([v] + list(others))
                conds.append(["cond", a, self.quotients.choice(
                    ["<=", "!=", ">="]), self.quotient(["N", v])])
            if r.random() < .08:
                conds.append(["cond", term(modulus=2, **{v: 1}), "==",
                              term(r.randrange(2))])
            if r.random() < .06:
                conds.append(["cond", term(**{v: 1}), "!=", term(1)])
        return conds

    def gather(self, kind, names):
        """A read of the table, of whose positions data tell one or more."""
        other, rank = self.tables["X"]
        others, self.r, self.quotients = (self.r, self.quotients), self.data, \
            self.data
        r, at = self.data, []
        known = r.randrange(rank)
        for d in range(rank):
            a = self.aff(names)
            if d == known or r.random() < .2:
                a = ["read", "Q", [self.aff(names) for _ in range(
                    self.tables["Q"][1])], ""]
            at.append(a)
        self.r, self.quotients = others
        return ["gather", "X", at, "" if other == kind else kind]

    def read(self, kind, names):
        if self.data.random() < .08 and \
                is_float(self.tables["X"][0]) == is_float(kind):
            return self.gather(kind, names)
        r = self.r
        sources = [(n, k, rank) for n, (k, rank) in self.inputs.items()]
        sources += [(d[1], d[2], len(d[3])) for d in self.tree] * 3
        sources = [s for s in sources if is_float(s[1]) == is_float(kind) or
                   (is_float(kind) and r.random() < .3)]
        if not sources:
            return self.number(kind)
        name, other, rank = r.choice(sources)
        if len(names) >= rank and r.random() < .55:
            order = names[:rank] if r.random() < .6 else r.sample(names, rank)
            at = [term(r.choice([0] * 6 + [1, -1]), **{v: 1}) for v in order]
        else:
            at = [self.aff(names) for _ in range(rank)]
        return ["read", name, at, "" if other == kind else kind]

    def number(self, kind):
        return ["num", self.r.choice(["0.5", "2.0", "0.25", "1.0"]
                                     if is_float(kind) else ["1", "2", "3"])]

    def expr(self, kind, names, depth):
        r = self.r
        if depth == 0 or r.random() < .2:
            return self.number(kind) if r.random() < .08 else \
                self.read(kind, names)
        roll = r.random()
        if roll < .22:
            return self.reduction(kind, names)
        a = self.expr(kind, names, depth - 1)
        b = self.expr(kind, names, depth - 1)
        if roll < .68:
            return ["bin", r.choice("++-*"), a, b]
        if roll < .78:
            return self.extreme(kind, names, a, b)
        if roll < .86:
            test = ["bin", r.choice(["<", "<=", ">"]), b,
                    self.read(kind, names)]
            if test[3][0] == "num":
                test[3] = self.number(kind)
            return ["cond?", test, a, self.read(kind, names)]
        if not is_float(kind):
            return ["call", "abs", a]
        f = r.choice(["abs", "abs", "tanh", "sigmoid", "exp", "sqrt"])
        return ["call", f, ["call", "abs", a] if f == "sqrt" else a]

    def extreme(self, kind, names, a, b):
        """The lesser or greater of the two, or a chain with negations."""
        r = self.r
        f = r.choice(["min", "max"])
        if r.random() < .5:
            return ["call", f, a, b]
        zero = ["num", "0.0" if is_float(kind) else "0"]
        chain = ["call", f, a, ["bin", "-", zero, b]]
        c = self.read(kind, names)
        if r.random() < .5:
            c = ["bin", "-", zero, c]
        return ["call", f, *r.sample([chain, c], 2)]

    def reduction(self, kind, names):
        r = self.r
        new = [n for n in ["r", "s", "t"] if n not in names][
            :r.choice([1, 1, 1, 2])]
        if not new:
            return self.read(kind, names)
        conds = self.ranges(new, names)
        made = ["reduce", r.choice(["sum", "sum", "sum", "max", "min"]), new,
                conds, self.expr(kind, new + names, 1)]
        if len(new) == 1 and self.places.random() < .25:
            made[1] = self.places.choice(["argmax", "argmin"])
            made.append(kind)
        return made

    def define(self):
        r, name = self.r, "d%d" % len(self.tree)
        kind = r.choice(self.family)
        names = ["i", "j", "k", "l", "p"][:r.choice([0, 1, 1, 2, 2, 2, 3, 3,
                                                     4, 5])]
        way = r.choice(["plain", "plain", "update", "case", "recurrence"])
        conds = self.ranges(names)
        if way == "update":
            more = ["u", "v"][:r.randrange(1, 3)]
            conds += self.ranges(more, names)
            value = self.expr(kind, more + names, 1)
            return ["def", name, kind, names, conds, r.choice(
                ["+=", "+=", "min=", "max="]), [["piece", None, value]], more]
        if way == "plain" or not names:
            return ["def", name, kind, names, conds, "=", [
                ["piece", None, self.expr(kind, names, 2)]], []]
        first = names[0]
        if way == "case":
            cond = ["cond", self.aff([first]), r.choice(["==", "<", ">"]),
                    term(r.randrange(3))]
            last = self.expr(kind, names, 1)
        else:
            step = r.choice([1, 1, 2])
            conds[0][1] = term(r.choice([0, 0, 1]))
            cond = ["cond", term(**{first: 1}), "<",
                    term(step + conds[0][1][2])]
            past = [term(-step, **{first: 1})] + [
                term(**{n: 1}) for n in names[1:]]
            if len(names) > 1 and r.random() < .3:
                past[1] = term(r.choice([1, -1]), **{names[1]: 1})
            self_read = ["read", name, past, ""]
            if is_float(kind):
                self_read = ["bin", "*", ["num", "0.5"], self_read]
            last = ["bin", r.choice("+-"), self_read,
                    self.expr(kind, names, 1)]
        pieces = [["piece", cond, self.expr(kind, names, 1)],
                  ["piece", None, last]]
        return ["def", name, kind, names, conds, "=", pieces, []]

    def all_inputs(self):
        return {**self.inputs, **self.tables}

    def fitting(self, d):
        """guarded(d), or "d" if that reads what has no value."""
        more = self.guarded(d)
        try:
            Program(self.tree + [more], self.all_inputs(), self.sizes).analyse()
        except (ValueError, KeyError):
            return d
        return more

    def guarded(self, d):
        """The definition, now and then with a piece that values decide."""
        r = self.guards
        if d[5] != "=" or r.random() < .7:
            return d
        others, self.r = self.r, r
        kind = r.choice(self.family)
        test = ["bin", r.choice(["<", "<=", ">"]), self.read(kind, d[3]),
                self.expr(kind, d[3], 1)]
        cond = [["cond", self.aff(d[3]), r.choice(["==", "<", ">"]),
                 term(r.randrange(3))]] if d[3] and r.random() < .6 else []
        piece = ["piece", ["guard", r.choice(["and", "or"]), test] + cond,
                 self.expr(d[2], d[3], 1)]
        self.r = others
        at = r.randrange(len(d[6]))
        return d[:6] + [d[6][:at] + [piece] + d[6][at:], d[7]]

    def program(self):
        for _ in range(self.r.choice([1, 1, 2, 2, 3, 4, 5, 6])):
            for _ in range(30):
                d = self.define()
                try:
                    Program(self.tree + [d], self.all_inputs(),
                            self.sizes).analyse()
                except (ValueError, KeyError):
                    continue
                self.tree.append(self.fitting(d))
                break
        return Program(self.tree, self.all_inputs(), self.sizes)


def make(seed):
    """The program that "seed" stands for."""
    return Maker(seed).program()
