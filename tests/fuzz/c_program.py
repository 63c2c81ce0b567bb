"""A loop nest in C: its tree, its text, and smaller ones.

The tree of a program is a list of statements: ["for", name, lower bounds,
upper bounds, step, down, body], ["if", condition, then, else], ["set", place,
operator, expression], ["decl", name, type, expression], and those of c_idioms.py.
Some arrays are members of structures in the text (c_structures.py).
Subscripts are affine (affine.py), or nearly so (c_idioms.py). Extents are computed
from the values that subscripts take, and so are the shifts that keep them from
being negative: no access is outside.
"""
import math
import random

import affine
import c_idioms
import c_structures
import shrinking
from affine import term

FLOATS = ["double", "float"]
PROTOTYPES = ("double sqrt(double); float sqrtf(float); "
              "double fabs(double); float fabsf(float);")
COST = 6000
ELEMENTS = 1 << 20


class Program(shrinking.Sized):
    def __init__(self, seed, tree, arrays, sizes, returns=None, styles=0):
        self.seed, self.tree, self.arrays = seed, tree, arrays
        self.sizes, self.returns, self.styles = sizes, returns, styles

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
                if len(s) > 7:
                    self.walk(s[7].get("while"), inner)
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
        if table.get("behind"):
            return s[1]
        kind = table.get("type", "int")
        least, most = c_idioms.NARROW.get(kind, (0, 0))
        ranges = [self.ranges[n] for n in [s[1], *table.get("beside", [])[:1]]]
        low, high = min(r[0] for r in ranges), max(r[1] for r in ranges)
        if low < least or high > most or (s[5] and least == 0):
            kind = "int"
        return "%s %s" % (kind, s[1])

    def head(self, s, start, checks, move):
        other = s[7].get("beside") if len(s) > 7 else None
        more = s[7].get("while") if len(s) > 7 else None
        if more:
            checks += " && " + self.expr(more)
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
                behind = s[7].get("behind") if len(s) > 7 else None
                if behind:
                    out.append("%s{\tint %s;" % (tab, s[1]))
                out.append("%s%s {" % (tab, self.loop(s)))
                self.block(s[6], indent + 1, out)
                out.append(tab + "}")
                if behind:
                    out.append("%s%s = %s;\t}" % (tab, behind, s[1]))
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
            for word in ("while", "behind"):
                if len(node) > 7 and node[7].get(word):
                    yield node[:7] + [{**node[7], word: None}]
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
