"""An interpreter of data-parallel functions that shares nothing with the compiler.

Arrays are lists, structures dictionaries, and every value is computed where the text
says so, one after the other. Numbers know their type: "int" wraps, "float" rounds.
"""
import functools
import math
import operator
import re
import struct

INTS = {"i8": (8, True), "i16": (16, True), "i32": (32, True), "i64": (64, True),
        "u8": (8, False), "u16": (16, False), "u32": (32, False),
        "u64": (64, False)}
RANGE = {kind: (-(1 << bits - 1), 1 << bits - 1) if signed else (0, 1 << bits)
         for kind, (bits, signed) in INTS.items()}
COMPUTE = {"i8": "i32", "i16": "i32", "u8": "u32", "u16": "u32"}
F32 = struct.Struct("<f")
NAMES = {"int": "i32", "float": "f32"}
TOKEN = re.compile(
    r"\s+|//[^\n]*|(?P<num>0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<op><<|>>|<=|>=|==|!=|&&|\|\||.)")
LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="],
          ["<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]
BINARY = {op for level in LEVELS for op in level}


def without_comments(text):
    """The text without comments from /* to */, which nest."""
    out, depth, i = [], 0, 0
    while i < len(text):
        two = text[i:i + 2]
        if two == "/*":
            depth += 1
        if depth and two == "*/":
            depth -= 1
            i += 2
            continue
        if not depth:
            out.append(text[i])
        i += 2 if two == "/*" else 1
    return "".join(out)


def tokens(text):
    found, at = [], 0
    text = without_comments(text)
    while at < len(text):
        m = TOKEN.match(text, at)
        at = m.end()
        if m.lastgroup:
            found.append((m.lastgroup, m.group()))
    return found + [("end", "")]


class Parser:
    def __init__(self, text):
        self.t, self.i = tokens(text), 0
        self.structs, self.functions = {}, {}
        while self.t[self.i][0] != "end":
            self.item()

    def at(self, text, k=0):
        return self.t[self.i + k][1] == text

    def take(self, text=None):
        assert text is None or self.at(text), (text, self.t[self.i:self.i + 5])
        self.i += 1
        return self.t[self.i - 1][1]

    def accept(self, text):
        if self.at(text):
            self.i += 1
            return True
        return False

    def type(self):
        name, rank = self.take(), 0
        while self.accept("["):
            self.take("]")
            rank += 1
        return NAMES.get(name, name), rank

    def item(self):
        if self.accept("struct"):
            name, fields = self.take(), []
            self.take("{")
            while not self.accept("}"):
                kind = self.type()
                fields.append((self.take(), kind))
                self.take(";")
            self.take(";")
            self.structs[name] = fields
            return
        kind = self.type()
        name, params = self.take(), []
        self.take("(")
        while not self.accept(")"):
            one = self.type()
            params.append((self.take(), one))
            self.accept(",")
        self.functions[name] = (kind, params, self.body())

    def body(self):
        out = []
        self.take("{")
        while not self.accept("}"):
            if self.accept("return"):
                out.append((None, None, self.expr()))
            else:
                kind = self.type()
                name = self.take()
                self.take("=")
                out.append((name, kind, self.expr()))
            self.take(";")
        return out

    def expr(self):
        e = self.binary(0)
        if not self.accept("?"):
            return e
        a = self.expr()
        self.take(":")
        return "?", e, a, self.expr()

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        a = self.binary(level + 1)
        while self.t[self.i][1] in LEVELS[level]:
            op = self.take()
            a = "op", op, a, self.binary(level + 1)
        return a

    def unary(self):
        for op in "-~!":
            if self.accept(op):
                a = self.unary()
                if op == "-" and a[0] == "num":
                    return "num", "-" + a[1]
                return "un", op, a
        return self.postfix(self.primary())

    def postfix(self, e):
        while True:
            if self.accept("["):
                e = "at", e, self.expr()
                self.take("]")
            elif self.accept("."):
                e = "field", e, self.take()
            else:
                return e

    def argument(self):
        if self.t[self.i][1] in BINARY and self.t[self.i + 1][1] in ",)":
            return "operator", self.take()
        return self.expr()

    def primary(self):
        group, text = self.t[self.i]
        if self.accept("("):
            e = self.expr()
            self.take(")")
            return e
        self.i += 1
        if group == "num":
            return "num", text
        if text in ("true", "false"):
            return "bool", text == "true"
        if text == "struct":
            name, fields = self.take(), {}
            self.take("{")
            while not self.accept("}"):
                field = self.take()
                self.take("=")
                fields[field] = self.expr()
                self.take(";")
            return "struct", name, fields
        if text == "for":
            self.take("(")
            kind = self.type()
            var = self.take()
            self.take(":")
            source = self.expr()
            self.take(")")
            return "for", var, kind, source, self.body()
        if not self.accept("("):
            return "name", text
        args = []
        while not self.accept(")"):
            args.append(self.argument())
            self.accept(",")
        return "call", text, args


class Num:
    """A number of a type; of none, a literal. What operators make is "wide": it has
    the type that this one is computed in.
    """
    __slots__ = "kind", "value"

    def __init__(self, value, kind, wide=False):
        self.kind = kind
        self.value = fit(value, COMPUTE.get(kind, kind) if wide else kind)


def rounded(v):
    """"v" as a variable has it: only numbers of the types that are computed in wider ones
    can be others.
    """
    if isinstance(v, Num):
        return Num(v.value, v.kind) if v.kind in COMPUTE else v
    if isinstance(v, dict):
        return {name: rounded(x) for name, x in v.items()}
    return v


def field(v, name):
    """A field of a structure, or of each of an array."""
    return [field(x, name) for x in v] if isinstance(v, list) else v[name]


def fit(value, kind):
    """"value" as "kind" has it."""
    if kind in INTS:
        bits, signed = INTS[kind]
        least, end = RANGE[kind]
        value = int(value)
        if least <= value < end:
            return value
        value &= (1 << bits) - 1
        return value - (1 << bits) if signed and value >> bits - 1 else value
    if kind == "f32":
        try:
            return F32.unpack(F32.pack(value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
    return bool(value) if kind == "bool" else value


def quotient(a, b):
    if not b:
        return 0
    return -(abs(a) // b) if a < 0 < b else a // b if (a < 0) == (b < 0) \
        else -(a // -b)


def divide(a, b, kind):
    if kind not in INTS:
        if not b:
            return math.nan if not a or a != a else math.copysign(
                math.inf, a) * math.copysign(1, b)
        return a / b
    return quotient(a, b)


def width(kind):
    """The bits that an integer of "kind" is computed in."""
    wide = COMPUTE.get(kind, kind)
    return INTS[wide][0] if wide in INTS else 1


COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt,
            ">=": operator.ge, "==": operator.eq, "!=": operator.ne}
COMPUTED = {
    "+": lambda a, b, kind: a + b, "-": lambda a, b, kind: a - b,
    "*": lambda a, b, kind: a * b, "/": divide,
    "%": lambda a, b, kind: a - b * quotient(a, b) if b else 0,
    "<<": lambda a, b, kind: a << b % width(kind),
    ">>": lambda a, b, kind: a >> b % width(kind),
    "&": lambda a, b, kind: a & b, "|": lambda a, b, kind: a | b,
    "^": lambda a, b, kind: a ^ b,
    "&&": lambda a, b, kind: a and b, "||": lambda a, b, kind: a or b,
    "min": lambda a, b, kind: min(a, b), "max": lambda a, b, kind: max(a, b)}


def apply(op, a, b, kind):
    """The value of "a op b"; its type if that is not "kind"."""
    if op in COMPARED:
        return Num(COMPARED[op](a, b), "bool")
    return Num(COMPUTED[op](a, b, kind), kind, True)


@functools.lru_cache(None)
def literal(text):
    if "0x" in text.lower():
        return Num(int(text, 16), "i32")
    return Num(float(text) if re.search("[.e]", text) else int(text), None)


def in_order(pairs):
    """The second of each pair, in the order of the first, NaN last; equals stay in the
    order in which they are.
    """
    def rank(pair):
        v = pair[0].value
        return (v != v, 0 if v != v else v)
    return [x for _, x in sorted(pairs, key=rank)]


class Dag:
    """Functions that can be called."""

    def __init__(self, text):
        p = Parser(text)
        self.structs, self.functions = p.structs, p.functions
        self.made = {}

    def call(self, name, args):
        kind, params, body = self.functions[name]
        return self.adapt(self.run(body, {
            n: self.adapt(a, t) for (n, t), a in zip(params, args)}), kind)

    def adapt(self, v, kind):
        """"v" in its type: literals have it now, numbers as a variable has them, and
        structures, which may be of zip, the fields of "kind".
        """
        if isinstance(v, Num):
            return Num(v.value, kind[0]) if v.kind is None else rounded(v)
        if isinstance(v, list):
            return [self.adapt(x, kind) for x in v]
        return {name: self.adapt(x, inner) for (name, inner), x in zip(
            self.structs[kind[0]], v.values())}

    def run(self, body, env):
        env = dict(env)
        for name, kind, e in body:
            value = self.eval(e, env)
            if name is None:
                return value
            env[name] = self.adapt(value, kind)
        raise AssertionError("no return")

    def sorted_rows(self, v):
        if v and isinstance(v[0], list):
            return [self.sorted_rows(row) for row in v]
        return in_order((x, x) for x in v)

    def callee(self, e):
        """A function of values for an argument such as "+" or "f"."""
        name = e[1]
        if e[0] == "operator" or name in ("min", "max"):
            return lambda a, b: self.binary(name, a, b)
        if name in self.functions:
            return lambda *args: self.call(name, args)
        return lambda a: self.numeric(name, [a])

    def is_function(self, e, env):
        """Is the argument an operator, or the name of a function?"""
        return e[0] == "operator" or (e[0] == "name" and e[1] not in env)

    def binary(self, op, a, b):
        kind = a.kind or b.kind
        if kind is None:
            kind = "f32" if isinstance(a.value, float) or \
                isinstance(b.value, float) else None
        if a.kind is None or b.kind is None:
            a, b = [x if x.kind else Num(x.value, kind) for x in (a, b)]
        return apply(op, a.value, b.value, kind or "i32")

    def numeric(self, name, args):
        a = args[0]
        if name in ("min", "max"):
            return self.binary(name, *args)
        if name == "log2" and a.kind in (None, "i32"):
            return Num(a.value.bit_length() - 1 if a.value > 0 else -1, "i32")
        if name == "clz":
            return Num(32 - (a.value & 0xffffffff).bit_length(), "i32")
        if name in ("sqrt", "exp", "sin"):
            kind = a.kind or "f32"
            return Num(getattr(math, name)(fit(a.value, kind)), kind)
        if name == "abs":
            return Num(abs(a.value), a.kind)
        kind = {"float_of_int": "f32", "int_of_float": "i32"}.get(
            name, NAMES.get(name, name))
        return Num(a.value, kind)

    def builtin(self, name, args, env):
        if name == "filter_with":
            if self.is_function(args[0], env):
                f, xs = self.callee(args[0]), self.eval(args[1], env)
                return [x for x in xs if f(x).value]
            xs, keep = [self.eval(a, env) for a in args]
            assert len(xs) == len(keep)
            return [x for x, k in zip(xs, keep) if k.value]
        if name in ("map", "zip_with"):
            f = self.callee(args[0])
            arrays = [self.eval(a, env) for a in args[1:]]
            assert len({len(a) for a in arrays}) == 1
            return [rounded(f(*row)) for row in zip(*arrays)]
        if name in ("reduce", "scan", "exscan"):
            f, xs = self.callee(args[0]), self.eval(args[2], env)
            at = self.eval(args[1], env)
            if isinstance(at, Num) and at.kind is None:
                at = Num(at.value, xs[0].kind if xs else
                         "f32" if isinstance(at.value, float) else "i32")
            out = []
            for x in xs:
                out.append(at)
                at = f(at, x)
                if name != "reduce":
                    at = rounded(at)
            return at if name == "reduce" else out if name == "exscan" \
                else out[1:] + [at] if xs else []
        if name in ("segmented_scan", "segmented_reduce"):
            f, (flags, xs) = self.callee(args[0]), [
                self.eval(a, env) for a in args[2:]]
            assert len(flags) == len(xs)
            begin = self.eval(args[1], env)
            if isinstance(begin, Num) and begin.kind is None and xs:
                begin = Num(begin.value, xs[0].kind)
            at, out, last = begin, [], []
            for k, (flag, x) in enumerate(zip(flags, xs)):
                at = rounded(f(begin if flag.value else at, x))
                out.append(at)
                if k + 1 == len(xs) or flags[k + 1].value:
                    last.append(at)
            return out if name == "segmented_scan" else last
        if name == "iterate":
            f, x = self.callee(args[0]), self.eval(args[2], env)
            for _ in range(self.eval(args[1], env).value):
                x = f(x)
            return x
        if name == "scatter":
            f, (xs, places, ys) = self.callee(args[0]), [
                self.eval(a, env) for a in args[1:]]
            assert len(places) == len(ys)
            xs = list(xs)
            for i, y in zip(places, ys):
                assert 0 <= i.value < len(xs)
                xs[i.value] = rounded(f(xs[i.value], y))
            return xs
        if name == "sort_by":
            xs = self.eval(args[1], env)
            keys = [self.callee(args[0])(x) for x in xs] if \
                self.is_function(args[0], env) else self.eval(args[0], env)
            assert len(keys) == len(xs)
            return in_order(zip(keys, xs))
        values = [self.eval(a, env) for a in args]
        if name == "sort":
            return self.sorted_rows(values[0])
        if name == "gather":
            assert all(0 <= i.value < len(values[0]) for i in values[1])
            return [values[0][i.value] for i in values[1]]
        if name == "histogram":
            counts = [0] * values[0].value
            for i in values[1]:
                assert 0 <= i.value < len(counts)
                counts[i.value] += 1
            return [Num(n, "i32") for n in counts]
        if name == "range":
            return [Num(i, "i32") for i in range(values[0].value)]
        if name == "zip":
            assert len({len(a) for a in values}) == 1
            return [dict(zip("abcdefghijklmnopqrstuvwxyz", row))
                    for row in zip(*values)]
        if name == "unzip":
            return values[0]
        if name == "transpose":
            return [list(column) for column in zip(*values[0])]
        if name in ("argmin", "argmax"):
            numbers = [x.value for x in values[0]]
            best = {"argmin": min, "argmax": max}[name]
            return Num(numbers.index(best(numbers)) if numbers else -1, "i32")
        if re.fullmatch(r"dim\d", name):
            v = values[0]
            for _ in range(int(name[3])):
                v = v[0]
            return Num(len(v), "i32")
        return None

    def eval(self, e, env):
        """The value of the expression, of which a function is made once."""
        made = self.made.get(id(e))
        if made is None:
            made = self.made[id(e)] = self.make(e)
        return made(env)

    def make(self, e):
        """The function that tells the value of "e" where the names of "env" are known."""
        kind = e[0]
        if kind in ("num", "bool"):
            value = literal(e[1]) if kind == "num" else Num(e[1], "bool")
            return lambda env: value
        if kind == "name":
            return operator.itemgetter(e[1])
        if kind == "op":
            return self.make_operator(*e[1:])
        if kind == "un":
            a = self.make(e[2])
            do = {"-": operator.neg, "~": operator.invert, "!": operator.not_}[e[1]]

            def unary(env):
                v = a(env)
                return Num(do(v.value), v.kind, True)
            return unary
        if kind == "?":
            asked, yes, no = [self.make(x) for x in e[1:]]
            return lambda env: rounded((yes if asked(env).value else no)(env))
        if kind == "at":
            of, at = self.make(e[1]), self.make(e[2])

            def element(env):
                i, a = at(env).value, of(env)
                assert 0 <= i < len(a)
                return a[i]
            return element
        if kind == "field":
            of, name = self.make(e[1]), e[2]
            return lambda env: field(of(env), name)
        if kind == "struct":
            fields = [(n, t, self.make(e[2][n])) for n, t in self.structs[e[1]]]
            return lambda env: {n: self.adapt(value(env), t) for n, t, value in fields}
        if kind == "for":
            return lambda env: self.loop(e, env)
        return self.make_call(e[1], e[2])

    def make_operator(self, op, a, b):
        a, b = self.make(a), self.make(b)
        if op not in ("&&", "||"):
            return lambda env: self.binary(op, a(env), b(env))

        def either(env):
            v = a(env)
            return v if v.value == (op == "||") else b(env)
        return either

    def make_call(self, name, args):
        values = [self.make(a) for a in args if a[0] != "operator"]
        if name in self.functions:
            return lambda env: self.call(name, [v(env) for v in values])

        def call(env):
            value = self.builtin(name, args, env) if name not in (
                "min", "max") else None
            return self.numeric(name, [v(env) for v in values]) if value is None \
                else value
        return call

    def loop(self, e, env):
        out = [self.run(e[4], {**env, e[1]: self.adapt(x, e[2])})
               for x in self.eval(e[3], env)]
        return [self.adapt(x, (("f32" if isinstance(x.value, float) else
                                "i32"), 0))
                if isinstance(x, Num) else rounded(x) for x in out]


def leaves(dag, kind, name):
    """(name, type, path) of each number of a value of the type "kind"."""
    if kind not in dag.structs:
        return [(name, kind, ())]
    return [(n, t, (field, *path)) for field, (inner, _) in dag.structs[kind]
            for n, t, path in leaves(dag, inner, name + "_" + field)]


def pick(value, path):
    """The numbers at "path" of all structures of nested lists."""
    if isinstance(value, list):
        return [pick(v, path) for v in value]
    for field in path:
        value = value[field]
    return value.value
