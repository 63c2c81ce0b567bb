#!/usr/bin/env python3
"""Random typed programs of data-parallel functions against the interpreter.

usage: random_programs.py CETANE COUNT [FIRST]

Program number k is the same on every machine. Sizes are named by letters while a
program is made: all arrays of one letter are equally long.
"""
import random
import sys
import tempfile

import test_parallel

OPERATORS = ["+", "-", "*", "/", "%", "&", "|", "^"]
COMPARE = ["<", "<=", ">", ">=", "==", "!="]
CHAIN = ["+", "*", "&", "|", "^", "min", "max"]
# A type of numbers beside int, and its literals.
OTHER = ["i64", "i8", "u16", "float"]
FLOATS = {"all": ["+", "-", "*"], "chain": ["+", "min", "max"]}
# Associative operators of two numbers, which 0 changes nothing in; of pairs, with what
# does so there. Most of them do not commute.
MIX = ["x + y + x * y", "y != 0 ? y : x", "x != 0 ? x : y", "x + y", "x | y"]
PAIRS = [("x.a * y.a", "x.b * y.a + y.b", "a = 1; b = 0"),
         ("y.a != 0 ? y.a : x.a", "x.b + y.b", "a = 0; b = 0"),
         ("x.a | y.a", "y.a != 0 ? y.b : x.b + y.b", "a = 0; b = 0"),
         ("x.a + y.a", "x.b + y.b + x.a * y.a", "a = 0; b = 0"),
         ("x.a * y.a - x.b * y.b", "x.a * y.b + x.b * y.a", "a = 1; b = 0")]


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.count = 0
        self.other = self.rng.choice(OTHER)
        self.sizes = {"N": self.rng.randint(1, 7), "M": self.rng.randint(1, 6)}
        if self.rng.random() < 0.15:
            self.sizes["N"] = self.rng.choice([0, 33, 64, 70, 300])
        self.functions = []
        self.scope = []

    def name(self, hint):
        self.count += 1
        return "%s%d" % (hint, self.count)

    def pick(self, *ways):
        return self.rng.choice(ways)()

    def some(self, kind, dims):
        """A variable of a type and shape, or None."""
        found = [n for n, k, d in self.scope if k == kind and d == dims]
        return self.rng.choice(found) if found else None

    # ------------------------------------------------------------- numbers

    def operators(self, kind):
        return FLOATS["all"] if kind == "float" else OPERATORS

    def chain(self, kind):
        return FLOATS["chain"] if kind == "float" else CHAIN

    def literal(self, kind):
        if kind == "bool":
            return self.rng.choice(["true", "false"])
        low = 0 if kind[0] == "u" else -9
        if kind == "float":
            return "%d.5" % self.rng.randint(0, 3)
        return str(self.rng.randint(low, 9))

    def number(self, kind, depth):
        """An expression of the type "kind"."""
        if kind == "bool":
            return self.truth(depth)
        if kind == "pair":
            return self.pair(depth)
        have = self.some(kind, ())
        if depth <= 0 or self.rng.random() < 0.15:
            return have or self.literal(kind)
        d = depth - 1
        ways = [
            lambda: "(%s %s %s)" % (self.number(kind, d), self.rng.choice(
                self.operators(kind)), self.number(kind, d)),
            lambda: "%s(%s, %s)" % (self.rng.choice(["min", "max"]),
                                    self.typed(kind, d), self.number(kind, d)),
            lambda: "(%s ? %s : %s)" % (self.truth(d), self.typed(kind, d),
                                        self.number(kind, d)),
            lambda: "((%s %s %s) %s %s)" % (
                self.typed(kind, d), self.rng.choice(self.operators(kind)),
                self.number(kind, d), self.rng.choice(self.operators(kind)),
                self.number(kind, 0)),
            lambda: "%s%s" % ("-" if kind == "float" else "~",
                              self.typed(kind, d)),
            lambda: self.element(kind, d),
            lambda: self.reduced(kind, d),
            lambda: self.called(kind, d),
        ]
        if kind == "int":
            ways += [
                lambda: "int(%s)" % self.typed(self.exact(), d),
                lambda: "%s(%s)" % (self.rng.choice(["log2", "log2", "clz"]),
                                    self.typed("int", d)),
                lambda: self.length(),
                lambda: "%s.%s" % (self.pair(d), self.rng.choice("ab")),
                lambda: "(%s << %d)" % (self.typed("int", d),
                                        self.rng.randint(0, 40)),
                lambda: "(%s >> (%s & 7))" % (self.typed("int", d),
                                              self.typed("int", 0)),
                lambda: "%s(%s)" % (self.rng.choice(["argmin", "argmax"]),
                                    self.array("int", self.rng.choice("NM"),
                                               d)),
            ]
        else:
            ways.append(lambda: "%s(%s)" % (kind, self.typed("int", d)))
        return self.rng.choice(ways)()

    def typed(self, kind, depth):
        """The same, no literal by itself."""
        return "%s(%s)" % (kind, self.number(kind, depth)) if kind != "bool" \
            else self.truth(depth)

    def truth(self, depth):
        d = depth - 1
        if depth <= 0:
            return self.some("bool", ()) or self.literal("bool")
        return self.pick(
            lambda: "(%s %s %s)" % (self.typed("int", d), self.rng.choice(
                COMPARE), self.number("int", d)),
            lambda: "(%s %s %s)" % (self.truth(d), self.rng.choice(
                ["&&", "||", "==", "!="]), self.truth(d)),
            lambda: "!%s" % self.truth(d),
            lambda: self.some("bool", ()) or self.literal("bool"),
            lambda: "reduce(%s, %s, %s)" % (self.rng.choice(["&&", "||"]),
                                            self.literal("bool"), self.array(
                                                "bool", self.letter(), d)))

    def pair(self, depth):
        have = self.some("pair", ())
        if have and self.rng.random() < 0.5:
            return have
        d = depth - 1
        if depth > 0 and self.rng.random() < 0.4:
            return self.reduced("pair", d)
        return "struct pair { b = %s; a = %s; }" % (self.number("int", d),
                                                    self.number("int", d))

    def exact(self):
        """A type of numbers, int or one beside it, whose values are exact."""
        return "int" if self.other == "float" else self.other

    def letter(self):
        """The length of an array: N, M, or that of what a filter has kept."""
        kept = sorted({d[0] for _, k, d in self.scope if len(d) == 1 and
                       k == "int" and d[0] not in "NM"})
        return self.rng.choice(kept) if kept and self.rng.random() < 0.5 \
            else self.rng.choice("NM")

    def length(self):
        n, _, dims = self.rng.choice([v for v in self.scope if v[2]])
        return "dim%d(%s)" % (self.rng.randrange(
            len(dims) if self.sizes["N"] else 1), n)

    def element(self, kind, depth):
        """An element at a place that is surely inside, or chosen to be."""
        arrays = [v for v in self.scope if v[1] == kind and len(v[2]) == 1]
        if not arrays:
            return self.number(kind, depth - 1)
        n, _, (dim,) = self.rng.choice(arrays)
        place = self.some("at " + dim, ())
        if not place:
            return self.number(kind, depth - 1)
        if dim not in "NM":
            return "%s[%s]" % (n, place)
        return self.pick(
            lambda: "%s[%s]" % (n, place),
            lambda: "%s[dim0(%s) - 1 - %s]" % (n, n, place),
            lambda: "(%s > 0 ? %s[%s - 1] : %s)" % (
                place, n, place, self.typed(kind, 0)),
            lambda: "(%s + 1 < dim0(%s) ? %s[%s + 1] : %s)" % (
                place, n, n, place, self.typed(kind, 0)),
            lambda: "%s[%s / 2]" % (n, place))

    def reduced(self, kind, depth):
        op = "join" if kind == "pair" else self.rng.choice(
            self.chain(kind) + ["mix_" + kind])
        return "reduce(%s, %s, %s)" % (op, self.identity(kind, op), self.array(
            kind, self.letter(), depth))

    def identity(self, kind, op):
        if kind == "pair":
            return "struct pair { %s; }" % self.nothing
        if op.startswith("mix_"):
            return "0.0" if kind == "float" else "0"
        return self.literal(kind)

    def called(self, kind, depth):
        return "mix_%s(%s, %s)" % (kind, self.number(kind, depth),
                                   self.number(kind, depth))

    # -------------------------------------------------------------- arrays

    def array(self, kind, dim, depth):
        """An array of "dim" elements."""
        have = self.some(kind, (dim,))
        if have and (depth <= 0 or self.rng.random() < 0.3):
            return have
        d = depth - 1
        if depth <= 0:
            return self.loop(kind, dim, 0)
        ways = [lambda: self.loop(kind, dim, d), lambda: self.loop(kind, dim, d),
                lambda: self.scan(kind, dim, d), lambda: self.row(kind, dim, d)]
        if kind == "int":
            ways += [
                lambda: "range(dim0(%s))" % self.array("int", dim, 0),
                lambda: "zip_with(%s, %s, %s)" % (self.rng.choice(
                    OPERATORS + ["max", "mix_int"]), self.array(
                        kind, dim, d), self.array(kind, dim, d)),
                lambda: "map(twice, %s)" % self.array(kind, dim, d),
                lambda: "map(int, %s)" % self.array(self.exact(), dim, d),
                lambda: "unzip(%s).%s" % (self.array("pair", dim, d),
                                          self.rng.choice("ab"))]
        elif kind == "pair":
            ways.append(lambda: "zip(%s, %s)" % (self.array("int", dim, d),
                                                 self.array("int", dim, d)))
        elif kind == "bool":
            ways.append(lambda: "zip_with(%s, %s, %s)" % (self.rng.choice(
                COMPARE), self.array("int", dim, d), self.array("int", dim,
                                                                d)))
        if self.rng.random() < 0.12:
            return self.told(kind, dim, d)
        return self.rng.choice(ways)()

    def places(self, dim, depth):
        """Positions of an array of "M" elements, which has some."""
        var = self.name("v")
        return "for (int %s : %s) { return (%s %% dim0(zs) + dim0(zs)) %% " \
            "dim0(zs); }" % (var, self.array("int", dim, depth), var)

    def told(self, kind, dim, depth):
        """An array of elements at positions that data tell."""
        ways = [lambda: "gather(%s, %s)" % (self.array(kind, "M", depth),
                                            self.places(dim, depth))]
        if dim == "M":
            ways.append(lambda: "sort_by(map(i8, %s), %s)" % (self.array(
                "int", "M", depth), self.array(kind, "M", depth)))
        if kind == "int":
            ways.append(lambda: "map(int, sort(map(u8, %s)))" % self.array(
                "int", dim, depth))
        if dim == "M" and kind not in ("bool", "pair"):
            other = self.rng.choice("NM")
            ways.append(lambda: "scatter(%s, %s, %s, %s)" % (
                self.rng.choice(self.chain(kind)), self.array(kind, "M", depth),
                self.places(other, depth), self.array(kind, other, depth)))
            if kind == "int":
                ways.append(lambda: "histogram(dim0(zs), %s)" % self.places(
                    self.letter(), depth))
        return self.rng.choice(ways)()

    def scan(self, kind, dim, depth):
        if kind == "bool":
            return self.loop(kind, dim, depth)
        op = "join" if kind == "pair" else self.rng.choice(
            self.chain(kind) + ["mix_" + kind])
        if self.rng.random() < 0.3:
            return "segmented_scan(%s, %s, %s, %s)" % (
                op, self.identity(kind, op), self.array("bool", dim, depth),
                self.array(kind, dim, depth))
        return "%s(%s, %s, %s)" % (self.rng.choice(["scan", "exscan"]), op,
                                   self.identity(kind, op),
                                   self.array(kind, dim, depth))

    def row(self, kind, dim, depth):
        """A row or column of a matrix."""
        for other in "NM":
            place = self.some("at " + other, ())
            if place:
                return "%s[%s]" % (self.matrix(kind, (other, dim), depth),
                                   place)
        return self.loop(kind, dim, depth)

    def loop(self, kind, dim, depth):
        """A "for" over something of "dim" elements."""
        before = list(self.scope)
        var = self.name("v")
        if self.rng.random() < 0.5:
            source, of, dims = self.some("int", (dim,)), "int", ()
            head = "int %s : range(dim0(%s))" % (var, source)
            self.scope.append((var, "at " + dim, ()))
        else:
            of = self.rng.choice(["int", "int", "pair", self.other])
            head = None
        if head is None:
            source = self.array(of, dim, depth - 1)
            head = "%s %s : %s" % (of, var, source)
        self.scope.append((var, of, ()))
        text = "for (%s) { %s }" % (head, self.body(kind, depth))
        self.scope = before
        return text

    def matrix(self, kind, dims, depth):
        have = self.some(kind, dims)
        if have and (depth <= 0 or self.rng.random() < 0.5):
            return have
        turned = self.some(kind, dims[::-1])
        # Lists of no rows do not know how long these are.
        if turned and self.sizes["N"] and self.rng.random() < 0.6:
            return "transpose(%s)" % turned
        before = list(self.scope)
        var = self.name("r")
        rows = self.some("int", dims)
        if rows and self.rng.random() < 0.5:
            self.scope.append((var, "int", dims[1:]))
            head = "int[] %s : %s" % (var, rows)
        else:
            self.scope.append((var, "int", ()))
            self.scope.append((var, "at " + dims[0], ()))
            head = "int %s : range(dim0(%s))" % (var, self.some(
                "int", dims[:1]))
        text = "for (%s) { return %s; }" % (head, self.array(
            kind, dims[1], depth - 1))
        self.scope = before
        return text

    # ---------------------------------------------------------- statements

    def value(self, kind, dims, depth):
        if not dims:
            return self.number(kind, depth)
        if len(dims) == 1:
            return self.array(kind, dims[0], depth)
        return self.matrix(kind, dims, depth)

    def kept(self, value, rank):
        """What filters leave of an array of ints, or of its rows."""
        if rank == 1:
            return "filter_with(is_kept, %s)" % value
        row, new = self.name("r"), self.name("r")
        text = "for (int[] %s : %s) { return filter_with(is_kept, %s); }" % (
            row, value, row)
        return text if self.rng.random() < 0.5 else \
            "filter_with(%s, for (int[] %s : %s) { return " \
            "reduce(+, 0, %s) %% 2 == 0; })" % (text, new, text, new)

    def filtered(self, depth):
        """An array of ints by a filter, whose length has a name of its own."""
        dim = self.letter()
        xs = self.array("int", dim, depth)
        text = "filter_with(%s, %s)" % (xs, self.array("bool", dim, depth)) \
            if self.rng.random() < 0.6 else "filter_with(is_kept, %s)" % xs
        if self.rng.random() < 0.25:
            op = self.rng.choice(self.chain("int") + ["mix_int"])
            text = "segmented_reduce(%s, %s, %s, %s)" % (
                op, self.identity("int", op), self.array("bool", dim, depth),
                xs)
        var = self.name("f")
        self.scope.append((var, "int", (self.name("F"),)))
        return "int[] %s = %s; " % (var, text)

    def let(self, depth):
        if self.rng.random() < 0.2:
            return self.filtered(depth)
        kind = self.rng.choice(["int", "int", "bool", "pair", self.other])
        dims = self.rng.choice([(), (), ("N",), ("M",), ("N", "M")])
        value = self.value(kind, dims, depth)
        var = self.name("x")
        self.scope.append((var, kind, dims))
        return "%s%s %s = %s; " % (kind, "[]" * len(dims), var, value)

    def body(self, kind, depth):
        text = "".join(self.let(min(depth, 1)) for _ in range(
            self.rng.choice([0, 0, 1, 2] if depth > 0 else [0])))
        value = self.typed(kind, depth) if kind not in ("pair", "bool") else \
            self.number(kind, depth)
        return text + "return %s;" % value

    def helpers(self):
        text = "struct pair { int a; int b; };\n"
        for kind in ("int", self.other):
            self.scope = [("x", kind, ()), ("y", kind, ())]
            if kind == "float":
                text += "float mix_float(float x, float y) " \
                    "{ return y != 0.0 ? y : x; }\n"
                continue
            e = self.rng.choice(MIX)
            text += "%s mix_%s(%s x, %s y) { return %s; }\n" % (
                kind, kind, kind, kind, e)
        text += "bool is_kept(int x) { return (x & %d) != 0; }\n" % \
            self.rng.choice([1, 2, 5])
        text += "int twice(int x) { int y = x + x; return y * y - x; }\n"
        e, f, self.nothing = self.rng.choice(PAIRS)
        return text + ("pair join(pair x, pair y) "
                       "{ return struct pair { a = %s; b = %s; }; }\n" % (e, f))

    def make(self):
        """(text, sizes)"""
        text = self.helpers()
        params = [("xs", "int", ("N",)), ("ys", "int", ("N",)),
                  ("zs", "int", ("M",)), ("m", "int", ("N", "M")),
                  ("ps", "pair", ("N",)), ("bs", "bool", ("M",)),
                  ("ws", self.other, ("N",)), ("c", "int", ())]
        used = [p for p in params if p[0] in ("xs", "zs") or
                self.rng.random() < 0.6]
        self.scope = list(used)
        kind = self.rng.choice(["int", "int", "pair", "bool", self.other])
        dims = self.rng.choice([(), ("N",), ("M",), ("N", "M"), ("M", "N")])
        lets = "".join("\t%s\n" % self.let(2)
                       for _ in range(self.rng.randint(0, 3)))
        if self.rng.random() < 0.5:
            dims = self.rng.choice([dims, (self.letter(),)])
        value = self.value(kind, dims, 3)
        if kind == "int" and dims and self.rng.random() < 0.4:
            value = self.kept(value, len(dims))
        text += "%s%s entry(%s) {\n%s\treturn %s;\n}\n" % (
            kind, "[]" * len(dims), ", ".join("%s%s %s" % (
                k, "[]" * len(d), n) for n, k, d in used), lets, value)
        sizes = {"%s_%d" % (n, i): self.sizes[d] for n, _, dims in used
                 for i, d in enumerate(dims)}
        return text, sizes


def main():
    cetane, count = sys.argv[1], int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    failed = 0
    for seed in range(first, first + count):
        text, sizes = Maker(seed).make()
        with tempfile.TemporaryDirectory() as where:
            try:
                test_parallel.Run(cetane, where, text, None, sizes,
                                  seed).check()
            except test_parallel.Failed as e:
                failed += 1
                print("program %d, %s:\n%s\n%s" % (seed, sizes, text, e))
    print("%d programs, %d failed" % (count, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
