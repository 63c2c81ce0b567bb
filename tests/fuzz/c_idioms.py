"""What people write in C nests, beside the plain statements of c_nests.py.

Statements: ["branch", name, type, condition, expression, expression], a scalar
that gets its value on one of two sides; ["parts", name, type, expressions], an array
with a value for each element but the last; ["jump", word]; ["rest", name, low,
high, times, body, rest, down], a loop of "times" steps at once and one that goes
on with its variable, which has a value behind them, too. A loop may have, behind
its body, a table: "type" of its variable, and "beside", another variable in its
head: (name, begin, step).

Subscripts and bounds are affine, or ["pick", condition, a, b], a choice; ["wrap",
a, size], a remainder; ["quotient", a, divisor, up], rounded down or up as macros
do; ["mask", place, bits], data.
"""
import affine
from affine import term

NARROW = {"short": (-32768, 32767), "long": (-1 << 62, 1 << 62),
          "signed char": (-128, 127), "unsigned char": (0, 255),
          "unsigned short": (0, 65535)}


def span(a, env):
    """The interval of a subscript or bound."""
    if a[0] == "aff":
        return affine.interval(a, env)
    if a[0] == "pick":
        ends = span(a[2], env) + span(a[3], env)
        return min(ends), max(ends)
    if a[0] == "mask":
        return 0, a[2]
    low, high = span(a[1], env)
    if a[0] == "quotient":
        return low // a[2], -(-high // a[2])
    most = env[a[2]][1] - 1
    return -most if low < 0 else 0, most


def quotient(a):
    """n / d rounded up or down, as code generators write it."""
    n, d = affine.text(a[1]), a[2]
    if a[3]:
        return ("((%s) < 0 ? -(-(%s) / (%d)) : (%d) < 0 ? (-(%s) + -(%d) - 1)"
                " / -(%d) : ((%s) + (%d) - 1) / (%d))"
                % (n, n, d, d, n, d, d, n, d, d))
    return ("((%s) * (%d) < 0 ? -((-(%s) + (%d) - 1) / (%d)) : (%s) / (%d))"
            % (n, d, n, d, d, n, d))


def text(a, expr, shift=0):
    """A subscript or bound in C; expr(e) is the text of an expression."""
    if a[0] == "aff":
        return affine.text(a, shift)
    if a[0] == "pick":
        out = "(%s ? %s : %s)" % (expr(a[1]), text(a[2], expr),
                                  text(a[3], expr))
    elif a[0] == "mask":
        out = "(%s & %d)" % (expr(a[1]), a[2])
    elif a[0] == "wrap":
        out = "(%s) %% %s" % (affine.text(a[1]), a[2])
    else:
        out = quotient(a)
    return out + (" + %d" % shift if shift else "")


def moved(node, name, by):
    """A copy in which "name" is "name" + "by" in all affine terms."""
    if not isinstance(node, list):
        return node
    if node and node[0] == "aff" and name in node[1]:
        return ["aff", dict(node[1]), node[2] + by * node[1][name]] + node[3:]
    return [moved(child, name, by) for child in node]


def around(s, env):
    """Values of the variable of the loops "rest": inside, and behind them."""
    low, high = span(s[2], env), span(s[3], env)
    inside = low[0], max(low[0], high[1] - 1)
    if s[7]:
        return inside, (min(low[0], high[0]) - 1, max(low[1], high[1]) - 1)
    return inside, (low[0], max(low[1], high[1]))


def beside(s, env, low, high):
    """Values of the other variable in the head of a loop, if there is one."""
    other = s[7].get("beside") if len(s) > 7 else None
    if not other:
        return {}
    name, begin, step = other
    begin = span(begin, env)
    far = step * ((high - low) // s[4] + 1)
    return {name: (begin[0] + min(0, far), begin[1] + max(0, far))}


def simpler(node):
    """Subscripts and statements in the place of "node", the simplest first."""
    if node[0] == "pick":
        yield from (node[2], node[3])
    if node[0] in ("wrap", "quotient"):
        yield node[1]
    if node[0] == "mask":
        yield term(0)
    if node[0] == "branch":
        yield ["decl", node[1], node[2], node[4]]
        yield ["decl", node[1], node[2], node[5]]
    if node[0] == "change":
        yield node[3]
    if node[0] == "switch" and len(node[2]) > 1:
        for i in range(len(node[2])):
            yield node[:2] + [node[2][:i] + node[2][i + 1:]]
    if node[0] == "rest" and node[7]:
        yield node[:7] + [False]
    if node[0] == "for" and len(node) > 7 and "type" in node[7]:
        yield node[:7] + [{k: x for k, x in node[7].items() if k != "type"}]


def write_ways(s, block, indent, out):
    """Text of "ways"; block(statements, indent, out) is that of statements."""
    block(s[2], indent, out)
    block(s[3], indent, out)
    out.append("%s%s: ;" % ("\t" * (indent - 1), s[1]))


def write_parts(s, expr, indent, out):
    tab = "\t" * indent
    out.append("%s%s %s[%d];" % (tab, s[2], s[1], len(s[3]) + 1))
    for k, e in enumerate(s[3]):
        out.append("%s%s[%d] = %s;" % (tab, s[1], k, expr(e)))


def write_switch(s, expr, block, indent, out):
    tab = "\t" * indent
    out.append("%sswitch (%s) {" % (tab, expr(s[1])))
    for _, labels, body in s[2]:
        for label in labels:
            out.append("%s%s:" % (tab, "default" if label is None
                                  else "case %d" % label))
        block(body, indent + 1, out)
        out.append("%s\t;" % tab)
    out.append(tab + "}")


def names_in(node, found):
    """Add the names of arrays and scalars in "node" to the set "found"."""
    if isinstance(node, list):
        if node and node[0] in ("ref", "var"):
            found.add(node[1])
        for child in node:
            names_in(child, found)
    return found


class Idioms:
    """Part of the class Maker: statements that belong together."""

    def affine_condition(self, loops):
        r = self.r
        a = self.index(loops) if loops else term(**{r.choice("nm"): 1})
        return ["bin", r.choice(["<", ">", "<=", "==", "!=", ">="]), a,
                r.choice([self.index(loops), term(r.randrange(0, 5)),
                          term(-1, **{r.choice("nm"): 1})])]

    def odd_index(self, loops, target):
        """A subscript that is no term."""
        r = self.r
        roll = r.random()
        a = self.index(loops)
        if roll < .5:
            return ["pick", self.affine_condition(loops), a,
                    self.index(loops)]
        whole = [v for v in loops if v in self.whole]
        if roll < .75 and whole:
            v = r.choice(whole)
            size = self.whole[v]
            return ["wrap", r.choice([
                term(1, **{v: 1}), term(**{v: 1, size: 1}),
                term(-1, **{v: 1, size: 1}), term(1, **{v: 1, size: 1})]),
                    size]
        names = [n for n, x in self.arrays.items()
                 if x[0] not in ("double", "float") and n != target]
        if not names:
            return a
        n = r.choice(names)
        return ["mask", ["ref", n, self.subscripts(self.arrays[n][2], loops)],
                r.choice([1, 3, 7])]

    def odd_bound(self, loops):
        r = self.r
        a = self.index(loops) if loops and r.random() < .5 else \
            term(r.randrange(-2, 3), **{r.choice("nm"): 1})
        return ["quotient", a, r.choice([2, 3, 4]), r.random() < .5]

    def head(self, loops, step):
        """The table of a loop's variables; loops of its body."""
        r = self.r
        table, more = {}, []
        if r.random() < .1:
            table["type"] = r.choice(sorted(NARROW))
        if r.random() < .1:
            name = self.name("k")
            table["beside"] = (name, self.bound(loops, r.random() < .3),
                               r.choice([1, 1, -1, 2, -2]))
            more.append(name)
        return table, more

    def sign(self):
        return self.r.choice(["<", ">", "<=", ">="])

    def extremum(self, loops, depth):
        """if (x < e) x = e, and choices that say the same or nearly so."""
        r = self.r
        place, is_float = self.place(loops)
        self.left -= 1
        e = self.expr(is_float, loops, r.choice([0, 1, 1, 2]))
        value = e if r.random() < .85 else self.expr(is_float, loops, 1)
        test = ["bin", self.sign()] + r.choice([[place, e], [e, place]])
        if r.random() < .15:
            test = ["un", "!", test]
        if r.random() < .35:
            arms = r.choice([[place, value], [value, place]])
            return [["set", place, "=", ["cond", test] + arms]]
        other = [] if r.random() < .8 else [self.assign(loops)]
        out = ["if", test, [["set", place, "=", value]], other]
        if r.random() < .2:
            out = ["if", self.condition(loops), [out],
                   [self.assign(loops)] if r.random() < .3 else []]
        return [out]

    def branch(self, loops, depth):
        """A scalar that gets its value on one of two sides, and its use."""
        r = self.r
        kind, name = r.choice(self.family), self.name("w")
        is_float = kind in ("double", "float")
        test = self.affine_condition(loops) if r.random() < .6 else \
            self.condition(loops)
        out = [["branch", name, kind, test, self.expr(is_float, loops, 1),
                self.expr(is_float, loops, 1)]]
        scalars, self.scalars = self.scalars, self.scalars + [(name, kind)]
        out += self.changes(name, kind, loops)
        out.append(self.assign(loops))
        if r.random() < .4:
            self.scalars = scalars
            return [["if", self.condition(loops), out,
                     [self.assign(loops)] if r.random() < .3 else []]]
        return out

    def changes(self, name, kind, loops):
        """Perhaps a change of the scalar under a condition."""
        var = ["var", name]
        if self.r.random() < .5:
            return []
        if self.r.random() < .5:
            return [["if", ["bin", "<", var, ["num", "0"]],
                     [["set", var, "=", ["un", "-", var]]], []]]
        return [["if", self.affine_condition(loops),
                 [["set", var, "=", self.expr(kind in ("double", "float"),
                                              loops, 1)]], []]]

    def parts(self, loops, depth):
        """A small array under a condition, whose last element has a value under one
        more only.
        """
        r = self.r
        kind, name, n = r.choice(self.family), self.name("p"), r.choice([1, 2, 3])
        is_float = kind in ("double", "float")
        scalars = self.scalars
        out = [["parts", name, kind, [self.expr(is_float, loops, 1)
                                      for _ in range(n)]]]
        self.scalars = scalars + [("%s[%d]" % (name, k), kind) for k in range(n)]
        out += self.changes("%s[0]" % name, kind, loops)
        last = "%s[%d]" % (name, n)
        place, real = self.place(loops)
        use = ["var", last]
        if is_float and not real:
            use = ["whole", use]
        out.append(["if", self.condition(loops), [
            ["set", ["var", last], "=", self.expr(is_float, loops, 1)],
            ["set", place, "=", use]], []])
        out.append(self.assign(loops))
        self.scalars = scalars
        return [["if", self.condition(loops), out,
                 [self.assign(loops)] if r.random() < .3 else []]]

    def beside_sum(self, loops, depth):
        """A sum of temporaries that are used beside it."""
        r = self.r
        kind = r.choice(self.family)
        is_float = kind in ("double", "float")
        total, t, v = self.name("s"), self.name("t"), self.name("i")
        inner = loops + [v]
        body = [["decl", t, kind, self.expr(is_float, inner, 2)]]
        scalars, self.scalars = self.scalars, self.scalars + [(t, kind)]
        body += self.changes(t, kind, inner)
        op = r.choice(["+=", "+=", "-="])
        add = [["set", ["var", total], op, r.choice([["var", t], [
            "bin", "*", ["var", t], ["var", t]]])]]
        use = [self.assign(inner)]
        body += add + use if r.random() < .5 else use + add
        self.scalars = scalars + [(total, kind)]
        return [["decl", total, kind, self.number(is_float)],
                ["for", v, [self.bound(loops, False)],
                 [self.bound(loops, True)], 1, r.random() < .1, body],
                self.assign(loops)]

    def unrolled(self, loops, depth):
        """A loop that takes several steps at once, and its rest."""
        r = self.r
        v, times, down = self.name("i"), r.choice([2, 2, 3, 4]), \
            r.random() < .25
        low, high = self.bound(loops, False), self.bound(loops, True)
        inner = loops + [v]
        one = self.assign(inner)
        body = [moved(one, v, -k if down else k) for k in range(times)]
        rest = [one]
        if r.random() < .4:
            rest = [self.assign(inner)]
        if r.random() < .25:
            body = [self.assign(inner)]
        out = [["rest", v, low, high, times, body, rest, down]]
        if r.random() < .3:
            out.append(self.assign(loops + [v]))
        return out

    def swap(self, loops, depth):
        place, is_float = self.place(loops)
        if place[0] != "ref":
            return [self.assign(loops)]
        name = place[1]
        self.left -= 1
        t, kind = self.name("t"), self.arrays[name][0]
        other = ["ref", name, self.subscripts(self.arrays[name][2], loops)]
        out = [["decl", t, kind, place], ["set", place, "=", other],
               ["set", other, "=", ["var", t]]]
        if self.r.random() < .6:
            return [["if", ["bin", self.sign(), place, other], out, []]]
        return out

    def arms(self, loops, depth):
        """Several statements, or loops, under a condition."""
        r = self.r
        scalars, out = self.scalars, []
        test = self.affine_condition(loops) if r.random() < .6 else \
            self.condition(loops)
        for _ in range(2 if r.random() < .5 else 1):
            arm = []
            if r.random() < .5:
                kind, name = r.choice(self.family), self.name("q")
                arm.append(["decl", name, kind, self.expr(
                    kind in ("double", "float"), loops, 1)])
                self.scalars = self.scalars + [(name, kind)]
            if depth < self.most and r.random() < .5:
                arm.append(self.loop(loops, depth))
            arm.append(self.assign(loops))
            self.scalars = scalars
            out.append(arm)
        return [["if", test, out[0], out[1] if len(out) > 1 else []]]

    def jump(self, loops, depth):
        """Only in loops, or in front of what a function does."""
        r = self.r
        if not loops:
            return [["if", self.affine_condition([]), [["jump", "return"]],
                     []], self.assign(loops)]
        if r.random() < .55:
            test = self.affine_condition(loops) if r.random() < .7 else \
                self.condition(loops)
            word = "continue"
        else:
            test, word = self.affine_condition(loops), "break"
        before = [self.assign(loops)] if r.random() < .3 else []
        return [["if", test, before + [["jump", word]], []],
                self.assign(loops)]

    def ways(self, loops, depth, labels=()):
        """"goto" what is further down, perhaps through others like it."""
        r = self.r
        label = self.name("L")
        labels = [label, *labels]

        def leave():
            test = self.affine_condition(loops) if r.random() < .5 else \
                self.condition(loops)
            out = [self.assign(loops)] if r.random() < .3 else []
            out.append(["goto", r.choice(labels)])
            if loops and r.random() < .15:
                out[-1] = ["jump", "continue"]
            other = [self.assign(loops)] if r.random() < .2 else []
            if r.random() < .2:
                out = [["if", self.condition(loops), out, []],
                       self.assign(loops)]
            return ["if", test, out, other]

        before, between = [leave()], [self.assign(loops)]
        if r.random() < .4:
            between += [leave(), self.assign(loops)]
        elif r.random() < .3 and len(labels) < 4:
            between += self.ways(loops, depth, labels)[:1]
        elif r.random() < .3 and depth < self.most:
            between.append(self.loop(loops, depth))
        if r.random() < .2:
            between.append(["goto", r.choice(labels)])
        return [["ways", label, before, between], self.assign(loops)]

    def switch(self, loops, depth):
        r = self.r
        integers = [n for n, x in self.arrays.items()
                    if x[0] not in ("double", "float")]
        of = self.index(loops) if loops else term(n=1)
        if integers and r.random() < .5:
            name = r.choice(integers)
            of = ["ref", name, self.subscripts(self.arrays[name][2], loops)]
        if r.random() < .4:
            of = ["bin", r.choice("%%&+"), of, ["num", r.choice("234")]]
        labels = r.sample(range(-2, 5), r.randrange(1, 6))
        if r.random() < .6:
            labels[r.randrange(len(labels))] = None
        cases = []
        while labels:
            n = 1 if r.random() < .75 else 2
            body = [self.assign(loops)]
            if r.random() < .3:
                body = self.arms(loops, depth)
            if r.random() < .2:
                body = [["if", self.condition(loops), [["jump", "break"]],
                         []]] + body
            if r.random() < .75:
                body.append(["jump", "continue" if loops and r.random() < .1
                             else "break"])
            cases.append(["case", labels[:n], body])
            labels = labels[n:]
        return [["switch", of, cases], self.assign(loops)]

    def changed(self, statement, loops):
        """The assignment with a "++" in it of what it does not name."""
        r = self.r
        named = names_in(statement, set())
        real = {n for n, a in self.arrays.items() if a[0] in ("double", "float")}
        names = [n for n, a in self.arrays.items() if a[3] and n not in named
                 and (statement[1][1] in real or n not in real)]
        if not names:
            return statement
        name = r.choice(names)
        place = ["ref", name, self.subscripts(self.arrays[name][2], loops)]
        if names_in(place[2], set()) & (named | {name}):
            return statement
        change = ["change", r.choice(["++", "--"]), r.random() < .5, place]
        return statement[:3] + [["bin", r.choice("+-*"), statement[3], change]]

    def idiom(self, loops, depth):
        r = self.r
        roll = r.random()
        if roll < .16:
            return self.ways(loops, depth)
        if roll < .26:
            return self.switch(loops, depth)
        if roll < .34:
            return [self.changed(self.assign(loops), loops)]
        if roll < .42:
            return self.parts(loops, depth)
        roll = r.random()
        if roll < .3:
            return self.extremum(loops, depth)
        if roll < .42:
            return self.branch(loops, depth)
        if depth < self.most and roll < .54:
            return self.beside_sum(loops, depth)
        if depth < self.most and roll < .7:
            return self.unrolled(loops, depth)
        if loops and roll < .76:
            return self.swap(loops, depth)
        if roll < .88:
            return self.arms(loops, depth)
        return self.jump(loops, depth)
