"""Random loops in C over rows whose bounds are data, as in sparse matrices.

One to four loops over rows "i", each ["rows", begin, times, [form..]]: row i has
"times" len[i] steps j from "begin" from[i] on, so that some programs have long rows. A
form is ["one", target, update, term, store], a cell of its own that each step updates,
and that is stored or put together with what is there, or ["wide", target, update,
term], the cells target[i][k] side by side. Terms are ["val"], ["times", a, b],
["plus", a, b], ["x"] and ["B"], which col[j] tells, ["step"], ["row"] and ["num", n].
Inputs lie from 0 to 8, or -4 to 4, or -1 to 1, so nothing overflows.
"""
import random

import shrinking

REAL, WHOLE = ["float", "double"], ["int", "long", "unsigned"]
MOST = 8    # of an unsigned input
UPDATES = {True: ["+=", "+=", "+=", "-=", "max", "min", "if", "decay"],
           False: ["+=", "+=", "-=", "^=", "|=", "&=", "max", "min", "if"]}


class Program(shrinking.Sized):
    def __init__(self, seed, tree, kinds, sizes):
        self.seed, self.tree, self.kinds, self.sizes = seed, tree, kinds, sizes

    def arrays(self):
        """(name, type, extents, is read alone)"""
        n, f = self.sizes["n"], self.sizes["f"]
        z = 1 + max([MOST * (l[1] + l[2]) for l in self.tree], default=0)
        real, whole = self.kinds
        return [("from", "unsigned", [n], True), ("len", "unsigned", [n], True),
                ("col", "unsigned", [z], True), ("val", real, [z], True),
                ("ival", whole, [z], True), ("x", real, [MOST + 1], True),
                ("ix", whole, [MOST + 1], True),
                ("B", real, [MOST + 1, f], True),
                ("iB", whole, [MOST + 1, f], True), ("y", real, [n], False),
                ("iy", whole, [n], False), ("C", real, [n, f], False),
                ("iC", whole, [n, f], False)]

    def term(self, e, real):
        i = "" if real else "i"
        if e[0] in ("times", "plus"):
            return "(%s %s %s)" % (self.term(e[1], real),
                                   "*" if e[0] == "times" else "+",
                                   self.term(e[2], real))
        return {"val": i + "val[j]", "x": i + "x[col[j]]",
                "B": i + "B[col[j]][k]", "step": "(j & 3)", "row": "(i & 3)",
                "num": str(e[-1])}[e[0]]

    def update(self, cell, how, value, real):
        if how in ("max", "min"):
            return "%s = %s %s %s ? %s : %s;" % (
                cell, value, "><"[how == "min"], cell, value, cell)
        if how == "if":
            return "if (%sval[j] > 0) %s += %s;" % ("" if real else "i", cell,
                                                    value)
        if how == "decay":
            return "%s = %s * 0.5f + %s;" % (cell, cell, value)
        return "%s %s %s;" % (cell, how, value)

    def row_loop(self, loop, out):
        _, begin, times, forms = loop
        real, whole = self.kinds
        before, inside, behind = [], [], []
        for k, (kind, target, how, term, *store) in enumerate(forms):
            is_real = target[0] != "i"
            value = self.term(term, is_real)
            if kind == "wide":
                inside.append("for (int k = 0; k < f; k++) " + self.update(
                    target + "[i][k]", how, value, is_real))
                continue
            s = "s%d" % k
            before.append("%s %s = %s;" % (real if is_real else whole, s,
                                           store[0]))
            inside.append(self.update(s, how, value, is_real))
            behind.append("%s[i] %s %s;" % (target, store[1], s))
        out.append("\tfor (int i = 0; i < n; i++) {")
        out += ["\t\t" + t for t in before]
        out.append("\t\tfor (int j = from[i] * %d; j < from[i] * %d + len[i] * "
                   "%d; j++) {" % (begin, begin, times))
        out += ["\t\t\t" + t for t in inside] + ["\t\t}"]
        out += ["\t\t" + t for t in behind] + ["\t}"]

    def text(self, name="f"):
        out = []
        for loop in self.tree:
            self.row_loop(loop, out)
        params = ["int n", "int f"] + ["%s%s %s%s" % (
            "const " * read, kind, a, "".join("[%s]" % (
                s if k or a not in "y iy C iC from len" else "n")
                for k, s in enumerate(["f" if k and x == self.sizes["f"] else x
                                       for k, x in enumerate(extents)])))
            for a, kind, extents, read in self.arrays()]
        return "void %s(%s)\n{\n%s\n}\n" % (name, ", ".join(params),
                                           "\n".join(out))

    def caller(self, name):
        """C that runs "name" on the usual inputs and reports."""
        out = ["static void run_%s(void)\n{" % name]
        arrays = []
        for a, kind, extents, _ in self.arrays():
            count = extents[0] * (extents[1] if len(extents) > 1 else 1)
            arrays.append((a, kind, count))
            out.append('\tvoid *%s = fill("%s", KIND(%s), %d);' % (a, a, kind,
                                                                  count))
        out.append("\t%s(%d, %d, %s);" % (name, self.sizes["n"], self.sizes["f"],
                                          ", ".join(a for a, _, _ in arrays)))
        for a, kind, count in arrays:
            out.append('\treport("%s", "%s", KIND(%s), %s, %d);\n\tfree(%s);' % (
                name, a, kind, a, count, a))
        return "\n".join(out) + "\n}\n"

    def instead(self, node):
        if node[0] in ("rows", "one", "wide"):
            yield None
        if node[0] in ("times", "plus"):
            yield from node[1:]
        elif node[0] not in ("rows", "one", "wide", "num"):
            yield ["num", 1]
        if node[0] == "rows":
            for at in 1, 2:
                if node[at] > 1:
                    yield node[:at] + [node[at] // 2] + node[at + 1:]


def term(r, wide, depth=0):
    if depth < 2 and r.random() < .5:
        return [r.choice(["times", "times", "plus"]), term(r, wide, depth + 1),
                term(r, wide, depth + 1)]
    return r.choice([["val"], ["val"], ["B"] if wide else ["x"],
                     ["B"] if wide else ["x"], ["step"], ["row"],
                     ["num", r.randrange(1, 4)]])


def form(r):
    real, wide = r.random() < .6, r.random() < .4
    how = r.choice(UPDATES[real])
    target = ("" if real else "i") + ("C" if wide else "y")
    if wide:
        return ["wide", target, how, term(r, True)]
    return ["one", target, how, term(r, False), r.choice([0, 0, 1, 3]),
            r.choice(["=", "=", "+="])]


def make(seed):
    """The program that "seed" stands for."""
    r = random.Random("csr %d" % seed)
    tree = []
    for _ in range(r.choice([1, 1, 2, 2, 3, 4])):
        forms = [form(r) for _ in range(r.choice([1, 1, 1, 2, 3]))]
        first = forms[0][0]
        forms = [f for k, f in enumerate(forms) if f[0] == first and
                 f[1] not in [g[1] for g in forms[:k] if first == "wide"]]
        tree.append(["rows", r.choice([0, 1, 1, 2]),
                     r.choice([1, 1, 2, 5, 40, 100]), forms])
    sizes = {"n": r.choice([1, 2, 3, 9, 33, 70]),
             "f": r.choice([1, 2, 3, 8, 32, 37])}
    return Program(seed, tree, (r.choice(REAL), r.choice(WHOLE)), sizes)
