"""Random loop nests in C (c_program.py says what their trees are).

No access is outside, nothing is read before it is written, no float is too large
for an integer it becomes, and no program or part of one has undefined behaviour but
the overflow of signed integers, which wraps.
"""
import random

import c_idioms
from affine import term
from c_program import FLOATS, Program

INTEGERS = ["int", "long", "short", "unsigned char", "unsigned", "signed char",
            "unsigned long", "unsigned short"]
FAMILIES = [["double"], ["float"], ["double", "float"], ["int"],
            ["int", "long", "short"], ["double", "int"],
            ["float", "double", "int", "unsigned char"], INTEGERS]


class Maker(c_idioms.Idioms):
    def __init__(self, seed):
        self.r = random.Random("c %d" % seed)
        r = self.r
        self.left = r.choice([1, 1, 2, 2, 3, 3, 4, 5, 6])
        self.most = r.choice([1, 2, 2, 3, 3, 3, 4, 5])
        self.family = r.choice(FAMILIES)
        self.arrays = {}
        for i in range(r.randrange(1, 5)):
            self.arrays["ABCDE"[i]] = (r.choice(self.family),
                                       r.random() < .12,
                                       r.choice([1, 1, 2, 2, 2, 3, 3, 4, 5]),
                                       r.random() < .7)
        self.arrays["A"] = (self.arrays["A"][0], False) + \
            self.arrays["A"][2:3] + (True,)
        self.scalars = []
        self.n_name = 0
        self.neat = r.random() < .4
        self.plain = r.random() < .3
        self.whole = {}     # loops from 0 to a size

    def name(self, stem):
        self.n_name += 1
        return "%s%d" % (stem, self.n_name)

    # ---------------------------------------------------------------- affine

    def index(self, loops):
        r = self.r
        if not loops or r.random() < .04:
            return term(r.randrange(0, 3))
        v = r.choice(loops)
        roll = r.random()
        if roll < .55:
            return term(**{v: 1})
        if roll < .78:
            return term(r.choice([-2, -1, -1, 1, 1, 2]), **{v: 1})
        if roll < .84 and len(loops) > 1:
            a, b = r.sample(loops, 2)
            return term(**{a: 1, b: r.choice([1, 1, -1, 2])})
        if roll < .88:
            return term(r.randrange(0, 2), **{v: 2})
        if roll < .92:
            return term(-1, **{v: -1, r.choice("nm"): 1})
        if roll < .95:
            return term(r.randrange(-1, 2),
                        divisor=r.choice([2, 2, 3, 3, -2, -3]), **{v: 1})
        if roll < .98:
            return term(r.randrange(0, 2),
                        modulus=r.choice([2, 2, 3, 3, -2, -5]), **{v: 1})
        return term(r.randrange(-3, 4), **{v: -1})

    def subscripts(self, rank, loops, target=None):
        """Mostly distinct loops, in some order."""
        r = self.r
        if len(loops) >= rank and r.random() < .6:
            order = loops[-rank:] if r.random() < .6 else r.sample(loops,
                                                                   rank)
            return [term(r.choice([0, 0, 0, 0, -1, 1]), **{v: 1})
                    for v in order]
        return [self.odd_index(loops, target)
                if loops and not self.plain and r.random() < .06
                else self.index(loops) for _ in range(rank)]

    def bound(self, loops, is_high):
        r = self.r
        if loops and r.random() < .35:
            v = r.choice(loops)
            a = term(r.choice([0, 0, 1, -1]), **{v: 1})
            if is_high and r.random() < .3:
                a = term(r.choice([0, 1]), **{v: -1, r.choice("nm"): 1})
            return a
        if not self.plain and r.random() < .05:
            return self.odd_bound(loops)
        if is_high:
            size = r.choice("nnnm")
            return r.choice([term(**{size: 1}), term(**{size: 1}),
                             term(**{size: 1}), term(-1, **{size: 1}),
                             term(1, **{size: 1}), term(r.randrange(1, 6)),
                             term(divisor=2, **{size: 1})])
        return term(r.choice([0, 0, 0, 0, 1, 1, 2, -1]))

    # ----------------------------------------------------------- expressions

    def number(self, is_float):
        r = self.r
        if is_float:
            text = r.choice(["0.5", "0.25", "2.0", "0.1", "-0.5", "1.5"])
            return ["num", text + ("f" if r.random() < .3 else "")]
        return ["num", r.choice(["1", "2", "3", "5", "-1", "7"])]

    def leaf(self, is_float, loops):
        r = self.r
        names = [n for n in self.arrays
                 if (self.arrays[n][0] in FLOATS) == is_float or
                 (is_float and r.random() < .3)]
        scalars = [s for s in self.scalars
                   if (s[1] in FLOATS) == is_float or is_float]
        roll = r.random()
        if names and roll < .72:
            n = r.choice(names)
            return ["ref", n, self.subscripts(self.arrays[n][2], loops, n)]
        if scalars and roll < .88:
            return ["var", r.choice(scalars)[0]]
        if loops and roll < .94:
            return self.index(loops)
        return self.number(is_float)

    def condition(self, loops):
        r = self.r
        sign = r.choice(["<", ">", "<=", "==", "!=", ">="])
        if loops and r.random() < .5:
            return ["bin", sign, self.index(loops), r.choice([
                self.index(loops), term(r.randrange(0, 4)),
                term(-1, **{r.choice("nm"): 1})])]
        is_float = r.random() < .6
        test = ["bin", sign, self.leaf(is_float, loops),
                self.leaf(is_float, loops)]
        if r.random() < .15:
            return ["bin", r.choice(["&&", "||"]), test,
                    self.condition(loops)]
        return test

    def expr(self, is_float, loops, depth):
        r = self.r
        if depth == 0 or r.random() < .2:
            return self.leaf(is_float, loops)
        a = self.expr(is_float, loops, depth - 1)
        roll = r.random()
        if roll < .62:
            b = self.expr(is_float, loops, depth - 1)
            if is_float:
                return ["bin", r.choice("++-*"), a, b]
            return ["bin", r.choice(["+", "+", "-", "*", "&", "|", "^"]), a, b]
        if roll < .72:
            b = self.expr(is_float, loops, depth - 1)
            return ["cond", self.condition(loops), a, b]
        if roll < .76:
            return self.extreme(is_float, loops)
        if is_float:
            return self.float_way(a, loops)
        return self.integer_way(a, loops)

    def extreme(self, is_float, loops):
        """The least or greatest of a value and two negations."""
        sign = self.r.choice("<>")
        best = self.leaf(is_float, loops)
        for _ in range(2):
            x = ["un", "-", self.leaf(is_float, loops)]
            best = ["cond", ["bin", sign, best, x], best, x]
        return best

    def float_way(self, a, loops):
        r = self.r
        roll = r.randrange(6)
        if roll == 0:
            return ["bin", "/", a, ["bin", "+", ["num", "2.0"], ["call",
                    "fabs", self.leaf(True, loops)]]]
        if roll == 1:
            single = r.random() < .3
            return ["call", "sqrtf" if single else "sqrt", [
                "call", "fabsf" if single else "fabs", a]]
        if roll == 2:
            return ["un", "-", a]
        if roll == 3:
            return ["cast", r.choice(FLOATS), a]
        return ["bin", "*", self.number(True), a]

    def integer_way(self, a, loops):
        r = self.r
        roll = r.randrange(7)
        if roll == 0:
            return ["bin", r.choice("/%"), a, ["num", r.choice([
                "2", "3", "5", "7", "(-2)", "(-3)", "(-7)"])]]
        if roll == 1:
            return ["bin", r.choice(["<<", ">>"]), a,
                    ["num", r.choice("123")]]
        if roll == 2:
            return ["un", r.choice(["-", "~", "!"]), a]
        if roll == 3:
            return ["cast", r.choice(INTEGERS + ["_Bool"]), a]
        if roll == 4:
            return self.condition(loops)
        if roll == 5 and any(x[0] in FLOATS for x in self.arrays.values()):
            leaf = self.leaf(True, loops)
            return ["whole", ["bin", "*", ["num", "4.0"], leaf]]
        return ["bin", "-", a, self.number(False)]

    # ------------------------------------------------------------ statements

    def place(self, loops):
        """What a statement writes, and whether it is a float."""
        r = self.r
        if self.scalars and r.random() < .2:
            name, kind = r.choice(self.scalars)
            return ["var", name], kind in FLOATS
        name = r.choice([n for n, a in self.arrays.items() if a[3]])
        kind, _, rank = self.arrays[name][:3]
        if self.neat and loops:
            names = (loops * rank)[-rank:]
            subscripts = [term(**{v: 1}) for v in names]
        else:
            subscripts = self.subscripts(rank, loops, name)
        return ["ref", name, subscripts], kind in FLOATS

    def assign(self, loops):
        r = self.r
        self.left -= 1
        place, is_float = self.place(loops)
        op = r.choice(["=", "=", "=", "+=", "+=", "-=", "*="] + (
            [] if is_float else ["^=", "|=", "&="]))
        e = self.expr(is_float, loops, r.choice([1, 2, 2, 3]))
        if op == "=" and r.random() < .25:
            e = ["bin", r.choice("+-"), [*place], e]
        elif op == "=" and r.random() < .12:
            e = ["cond", ["bin", r.choice("<>"), [*place], e], [*place], e]
        return ["set", place, op, e]

    def loop(self, loops, depth):
        r = self.r
        low, high = [self.bound(loops, False)], [self.bound(loops, True)]
        if r.random() < .07:
            low.append(self.bound(loops, False))
        if r.random() < .1:
            high.append(self.bound(loops, True))
        v = self.name("i")
        step = r.choice([1] * 8 + [2, 2, 3])
        down = r.random() < .18
        if low == [term(0)] and high[0] in (term(n=1), term(m=1)):
            self.whole[v] = "n" if high[0] == term(n=1) else "m"
        table, more = {}, []
        if not self.plain:
            table, more = self.head(loops, step)
        body = self.block(loops + more + [v], depth + 1)
        return ["for", v, low, high, step, down, body] + [table] * bool(table)

    def block(self, loops, depth):
        r = self.r
        scalars = list(self.scalars)
        out = []
        for _ in range(r.choice([1, 1, 1, 2, 2, 3])):
            roll = r.random()
            deep = depth < self.most
            if self.left <= 0 and out:
                break
            if not self.plain and r.random() < .2:
                out += self.idiom(loops, depth)
            elif deep and (roll < .75 or not loops):
                out.append(self.loop(loops, depth))
            elif roll < (.78 if self.neat else .81):
                kind = r.choice(self.family)
                name = self.name("s")
                out.append(["decl", name, kind, self.leaf(
                    kind in FLOATS, loops)])
                self.scalars = self.scalars + [(name, kind)]
                out.append(self.loop(loops, depth) if deep
                           else self.assign(loops))
                out.append(self.assign(loops))
            elif roll < .9 and loops:
                out.append(["if", self.condition(loops),
                            [self.assign(loops)],
                            [self.assign(loops)] if r.random() < .4 else []])
            else:
                out.append(self.assign(loops))
        if depth:
            self.scalars = scalars
        return out

    def program(self, seed):
        r = self.r
        tree = self.block([], 0)
        while self.left > 0:
            tree += self.block([], 0)
        returns = None
        if self.scalars and r.random() < .5:
            returns = r.choice(self.scalars)
        sizes = {"n": r.choice([1, 2, 3, 4, 5, 5, 6, 7, 7, 8, 9, 11]),
                 "m": r.choice([1, 2, 3, 4, 5, 6, 7])}
        if r.random() < .1:
            sizes["n"] = r.choice([17, 33, 65])
        p = Program(seed, tree, self.arrays, sizes, returns,
                    r.randrange(1000))
        p.bounds()
        while p.is_large():
            big = max(p.sizes, key=p.sizes.get)
            if p.sizes[big] == 1:
                break
            p = p.remade(sizes=dict(p.sizes, **{
                big: max(1, p.sizes[big] * 2 // 3)}))
            p.bounds()
        return p


def make(seed):
    """The program that "seed" stands for."""
    return Maker(seed).program(seed)
