"""Random loop nests in C.

The tree of a program is a list of statements: ["for", name, lower bounds,
upper bounds, step, down, body], ["if", condition, then, else], ["set", place,
operator, expression], ["decl", name, type, expression], and those of c_idioms.py.
Some arrays are members of structures in the text (c_structures.py).
Subscripts are affine (affine.py), or nearly so (c_idioms.py). Extents are computed from the values that subscripts take, and so
are the shifts that keep them from being negative: no access is outside, nothing
is read before it is written, no float is too large for an integer it becomes,
and no program or part of one has undefined behaviour but the overflow of
signed integers, which wraps.
"""
import math
import random

import affine
import c_idioms
import c_structures
import shrinking
from affine import term

FLOATS = ["double", "float"]
INTEGERS = ["int", "long", "short", "unsigned char", "unsigned", "signed char",
            "unsigned long", "unsigned short"]
FAMILIES = [["double"], ["float"], ["double", "float"], ["int"],
            ["int", "long", "short"], ["double", "int"],
            ["float", "double", "int", "unsigned char"], INTEGERS]
PROTOTYPES = ("double sqrt(double); float sqrtf(float); "
              "double fabs(double); float fabsf(float);")
COST = 6000
ELEMENTS = 1 << 20


class Program(shrinking.Sized):
    def __init__(self, seed, tree, arrays, sizes, returns=None, styles=0):
        self.seed, self.tree, self.arrays = seed, tree, arrays
        self.sizes, self.returns, self.styles = sizes, returns, styles

    def with_tree(self, tree):
        return Program(self.seed, tree, self.arrays, self.sizes,
                       self.returns, self.styles)

    def with_sizes(self, sizes):
        return Program(self.seed, self.tree, self.arrays, sizes,
                       self.returns, self.styles)

    # ------------------------------------------------------------ analysis

    def bounds(self):
        """For each array, the interval of each of its subscripts."""
        self.seen, self.ranges, self.cost = {}, {}, 0
        env = {k: (v, v) for k, v in self.sizes.items()}
        self.walk_block(self.tree, env, 1)
        return self.seen

    def is_large(self):
        """After bounds: too many instances, or elements of an array."""
        return self.cost > COST or any(
            math.prod(high + 1 - min(low, 0) for low, high in ranges) > ELEMENTS
            for ranges in self.seen.values())

    def walk_block(self, block, env, times):
        for s in block:
            if s[0] == "for":
                low = max(c_idioms.span(a, env)[0] for a in s[2])
                high = min(c_idioms.span(a, env)[1] for a in s[3]) - 1
                high = max(low, high)
                self.ranges[s[1]] = (low - s[4], high + s[4])
                inner = dict(env, **{s[1]: (low, high)})
                other = c_idioms.beside(s, env, low, high)
                self.ranges.update(other)
                inner.update(other)
                self.walk([s[2], s[3]], env)
                self.walk_block(s[6], inner,
                                times * (1 + (high - low) // s[4]))
            elif s[0] == "rest":
                inside, behind = c_idioms.around(s, env)
                inner, n = dict(env, **{s[1]: inside}), inside[1] - inside[0]
                self.walk([s[2], s[3]], env)
                self.walk_block(s[5], inner, times * (1 + n // s[4]))
                self.walk_block(s[6], inner, times * s[4])
                env = dict(env, **{s[1]: behind})
            elif s[0] == "if":
                self.walk(s[1], env)
                self.walk_block(s[2], env, times)
                self.walk_block(s[3], env, times)
            elif s[0] == "ways":
                self.walk_block(s[2], env, times)
                self.walk_block(s[3], env, times)
            elif s[0] == "switch":
                self.walk(s[1], env)
                for case in s[2]:
                    self.walk_block(case[2], env, times)
            else:
                self.cost += times
                self.walk(s, env)

    def walk(self, node, env):
        if not isinstance(node, list):
            return
        if node and node[0] == "ref":
            ranges = [c_idioms.span(a, env) for a in node[2]]
            old = self.seen.get(node[1], ranges)
            self.seen[node[1]] = [(min(a, c), max(b, d)) for (a, b), (c, d)
                                  in zip(old, ranges)]
        for child in node:
            self.walk(child, env)

    def written(self):
        names = set()

        def visit(node):
            if isinstance(node, list):
                if node and node[0] == "set" and node[1][0] == "ref":
                    names.add(node[1][1])
                if node and node[0] == "change":
                    names.add(node[3][1])
                for child in node:
                    visit(child)
        visit(self.tree)
        return names

    # ---------------------------------------------------------------- text

    def expr(self, e):
        kind = e[0]
        if kind == "num":
            return e[1]
        if kind == "aff":
            return "(%s)" % affine.text(e)
        if kind == "ref":
            return self.structures.place(e[1], self.subscripts(e))
        if kind == "var":
            return e[1]
        if kind == "bin":
            return "(%s %s %s)" % (self.expr(e[2]), e[1], self.expr(e[3]))
        if kind == "un":
            return "(%s %s)" % (e[1], self.expr(e[2]))
        if kind == "change":
            words = [e[1], self.expr(e[3])]
            return "".join(words if e[2] else words[::-1])
        if kind == "call":
            return "%s(%s)" % (e[1], self.expr(e[2]))
        if kind == "cast":
            return "((%s)%s)" % (e[1], self.expr(e[2]))
        if kind == "whole":
            x = self.expr(e[1])
            return "(%s > -99 && %s < 99 ? (int)%s : 3)" % (x, x, x)
        return "(%s ? %s : %s)" % tuple(self.expr(x) for x in e[1:])

    def subscripts(self, e):
        return "".join("[%s]" % self.affine(a, self.shift[e[1]][d])
                       for d, a in enumerate(e[2]))

    def affine(self, a, shift=0):
        return c_idioms.text(a, self.expr, shift)

    def variable(self, s):
        """The loop's variable and its type, one that holds its values and those
        of the variable beside it.
        """
        table = s[7] if len(s) > 7 else {}
        kind = table.get("type", "int")
        least, most = c_idioms.NARROW.get(kind, (0, 0))
        ranges = [self.ranges[n] for n in [s[1], *table.get("beside", [])[:1]]]
        low, high = min(r[0] for r in ranges), max(r[1] for r in ranges)
        if low < least or high > most or (s[5] and least == 0):
            kind = "int"
        return "%s %s" % (kind, s[1])

    def head(self, s, start, checks, move):
        other = s[7].get("beside") if len(s) > 7 else None
        if other:
            name, begin, step = other
            start += ", %s = %s" % (name, self.affine(begin))
            move += ", " + (
                name + ("++" if step > 0 else "--") if abs(step) == 1 else
                "%s %s= %d" % (name, "+" if step > 0 else "-", abs(step)))
        return "for (%s = %s; %s; %s)" % (self.variable(s), start, checks,
                                          move)

    def loop(self, s):
        low = [self.affine(a) for a in s[2]]
        high = [self.affine(a) for a in s[3]]
        v, step = s[1], s[4]
        if s[5]:
            start = "%s - 1" % high[0]
            checks = ["%s >= %s" % (v, t) for t in low] + \
                ["%s < %s" % (v, t) for t in high[1:]]
            move = v + "--" if step == 1 else "%s -= %d" % (v, step)
            if len(high) > 1 or len(low) > 1:
                return self.picked(s, move)
        else:
            start = low[0]
            checks = ["%s < %s" % (v, t) for t in high]
            move = v + "++" if step == 1 else "%s += %d" % (v, step)
            if len(low) > 1:
                return self.picked(s, move)
        return self.head(s, start, " && ".join(checks), move)

    def picked(self, s, move):
        """With the larger of two lower bounds and the smaller upper one."""
        def pick(terms, sign):
            texts = [self.affine(a) for a in terms]
            if len(texts) == 1:
                return texts[0]
            return "(%s %s %s ? %s : %s)" % (texts[0], sign, texts[1],
                                             texts[0], texts[1])
        low, high = pick(s[2], ">"), pick(s[3], "<")
        v = s[1]
        if s[5]:
            return self.head(s, high + " - 1", "%s >= %s" % (v, low), move)
        return self.head(s, low, "%s < %s" % (v, high), move)

    def rest(self, s, indent, out):
        """Two loops, the second of which goes on where the first ends."""
        v, times, tab = s[1], s[4], "\t" * indent
        low, high = self.affine(s[2]), self.affine(s[3])
        if s[7]:
            heads = ["%s = %s - 1; %s - %d >= %s; %s -= %d" % (
                v, high, v, times - 1, low, v, times),
                     "; %s >= %s; %s--" % (v, low, v)]
        else:
            heads = ["%s = %s; %s + %d < %s; %s += %d" % (
                v, low, v, times - 1, high, v, times),
                     "; %s < %s; %s++" % (v, high, v)]
        out.append("%sint %s;" % (tab, v))
        for head, body in zip(heads, s[5:7]):
            out.append("%sfor (%s) {" % (tab, head))
            self.block(body, indent + 1, out)
            out.append(tab + "}")

    def block(self, block, indent, out):
        tab = "\t" * indent
        for s in block:
            if s[0] == "for":
                out.append("%s%s {" % (tab, self.loop(s)))
                self.block(s[6], indent + 1, out)
                out.append(tab + "}")
            elif s[0] == "if":
                out.append("%sif (%s) {" % (tab, self.expr(s[1])))
                self.block(s[2], indent + 1, out)
                if s[3]:
                    out.append(tab + "} else {")
                    self.block(s[3], indent + 1, out)
                out.append(tab + "}")
            elif s[0] == "set":
                out.append(tab + self.set(s))
            elif s[0] == "rest":
                self.rest(s, indent, out)
            elif s[0] == "ways":
                c_idioms.write_ways(s, self.block, indent, out)
            elif s[0] == "parts":
                c_idioms.write_parts(s, self.expr, indent, out)
            elif s[0] == "switch":
                c_idioms.write_switch(s, self.expr, self.block, indent, out)
            elif s[0] == "goto":
                out.append("%sgoto %s;" % (tab, s[1]))
            elif s[0] == "jump":
                value = s[1] == "return" and self.returns
                out.append("%s%s%s;" % (tab, s[1], " 3" if value else ""))
            elif s[0] == "branch":
                out.append("%s%s %s;" % (tab, s[2], s[1]))
                out.append("%sif (%s)" % (tab, self.expr(s[3])))
                out.append("%s\t%s = %s;" % (tab, s[1], self.expr(s[4])))
                out.append(tab + "else")
                out.append("%s\t%s = %s;" % (tab, s[1], self.expr(s[5])))
            else:
                out.append("%s%s %s = %s;" % (tab, s[2], s[1],
                                              self.expr(s[3])))

    def set(self, s):
        if s[1][0] == "ref":
            return self.structures.statement(s[1], s[2], self.expr(s[3]),
                                             self.subscripts(s[1]))
        return "%s %s %s;" % (self.expr(s[1]), s[2], self.expr(s[3]))

    def extent(self, name, d, need):
        """A text for at least "need" at these sizes."""
        r = random.Random("%s %d %d" % (name, d, self.styles))
        size = r.choice(sorted(self.sizes))
        more = need - self.sizes[size]
        if more < 0 or r.random() < .1:
            return "%d" % need
        return "%s + %d" % (size, more) if more else size

    def layout(self, name):
        seen = self.bounds()
        self.structures = c_structures.Structures(self, seen, name)
        self.structures.merge(seen)
        self.shift = {n: [max(0, -low) for low, _ in ranges]
                      for n, ranges in seen.items()}
        self.extents = {n: [high + 1 + s for (_, high), s
                            in zip(ranges, self.shift[n])]
                        for n, ranges in seen.items()}
        self.extents = {n: x for n, x in self.extents.items()
                        if not self.structures.hidden(n)}
        self.texts = {n: [self.extent(n, d, x)
                          for d, x in enumerate(extents)]
                      for n, extents in self.extents.items()}

    def declare(self, name):
        kind = self.structures.kind(name, self.arrays[name][0])
        return "%s %s%s" % (kind, name,
                            "".join("[%s]" % t for t in self.texts[name]))

    def init(self, name, out):
        """A local array, every element written."""
        kind, texts = self.arrays[name][0], self.texts[name]
        need = self.extents[name]
        group = self.structures.groups.get(name)
        if not group and len(need) == 1 and need[0] < 20 and self.styles % 2:
            out.append("\t%s %s[%d] = {%s};" % (kind, name, need[0], ", ".join(
                str(3 * i % 7 - 2) for i in range(1 + need[0] // 2))))
            return
        names = ["q%d" % d for d in range(len(texts))]
        out.append("\t%s;" % self.declare(name))
        for d, t in enumerate(texts):
            out.append("%sfor (int q%d = 0; q%d < %s; q%d++)" % (
                "\t" * (d + 1), d, d, t, d))
        at = "".join("[%s]" % q for q in names)
        places = [self.structures.place(n, at)
                  for n in (group.names if group else [name])]
        out.append("%s{ %s }" % ("\t" * (len(texts) + 1), " ".join(
            "%s = %s%s;" % (place, " + ".join(names),
                            " * 0.125" if kind in FLOATS else " - 2")
            for place in places)))

    def params(self):
        """Arrays that are parameters, in order."""
        return [n for n in self.extents if not self.arrays[n][1]]

    def text(self, name="f"):
        self.layout(name)
        written = self.written()
        groups = self.structures.groups
        params = ["int %s" % s for s in self.sizes] + [
            ("" if written & set(groups[n].names if n in groups else [n])
             else "const ") + self.declare(n)
            for n in self.params()]
        out = []
        for n in self.extents:
            if self.arrays[n][1]:
                self.init(n, out)
        self.block(self.tree, 1, out)
        if self.returns:
            out.append("\treturn %s;" % self.returns[0])
        kind = self.returns[1] if self.returns else "void"
        return "%s\n%s%s %s(%s)\n{\n%s\n}\n" % (
            PROTOTYPES, self.structures.text(), kind, name,
            ", ".join(params), "\n".join(out))

    def caller(self, name):
        """C that runs "name" on the usual inputs and reports; after text()."""
        out = ["static void run_%s(void)\n{" % name]
        for item in self.sizes.items():
            out.append("\tint %s = %d;" % item)
        params = self.params()
        for n in params:
            count = self.structures.elements(n, self.extents[n])
            out.append('\tvoid *%s = fill("%s", KIND(%s), %d);' % (
                n, n, self.arrays[n][0], count))
        call = "%s(%s)" % (name, ", ".join(list(self.sizes) + params))
        if self.returns:
            out.append("\t%s result = %s;" % (self.returns[1], call))
            out.append('\treport("%s", "result", KIND(%s), &result, 1);' % (
                name, self.returns[1]))
        else:
            out.append("\t%s;" % call)
        for n in params:
            count = self.structures.elements(n, self.extents[n])
            out.append('\treport("%s", "%s", KIND(%s), %s, %d);' % (
                name, n, self.arrays[n][0], n, count))
            out.append("\tfree(%s);" % n)
        return "\n".join(out) + "\n}\n"

    # -------------------------------------------------------------- smaller

    def instead(self, node):
        kind = node[0]
        if kind in ("for", "if", "set", "decl", "rest", "branch", "jump",
                    "goto", "parts", "ways", "switch"):
            yield None
        yield from c_idioms.simpler(node)
        if kind == "for":
            for a in (2, 3):
                if len(node[a]) > 1:
                    for one in node[a]:
                        yield node[:a] + [[one]] + node[a + 1:]
            for one in ([[term(0)]], [node[2]]):
                if node[2] != one[0]:
                    yield node[:2] + one + node[3:]
            if node[3] != [term(2)]:
                yield node[:3] + [[term(2)]] + node[4:]
            if node[4] > 1 or node[5]:
                yield node[:4] + [1, False] + node[6:]
        if kind == "if":
            yield ["if", ["num", "1"], node[2], []]
        if kind == "set" and node[2] != "=":
            yield ["set", node[1], "=", node[3]]
        if kind == "aff":
            yield from affine.simpler(node)
        if kind in ("bin", "un", "call", "cast", "cond", "whole", "ref"):
            yield ["num", "1"]
        if kind in ("bin", "un", "call", "cast", "cond"):
            yield from (x for x in node[1:] if isinstance(x, list))


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
            p = p.with_sizes(dict(p.sizes, **{
                big: max(1, p.sizes[big] * 2 // 3)}))
            p.bounds()
        return p


def make(seed):
    """The program that "seed" stands for."""
    return Maker(seed).program(seed)
