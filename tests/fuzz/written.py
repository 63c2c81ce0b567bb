"""A function of arrays as the text of one without calls, loops and branches.

What it computes with, NumPy or what is written like it, is replaced by a Writer, whose
values write down what is done with them. torch.compile then sees a plain list of
operations: of functions that walk over trees it compiles a version for each node, and
gives up after some.
"""
import itertools


class Value:
    def __init__(self, writer, name):
        self.writer, self.name = writer, name

    def __getattr__(self, name):
        return lambda *args: self.writer.put("%s.%s(%s)" % (
            self.name, name, ", ".join(map(text, args))))


def text(x):
    return x.name if isinstance(x, Value) else repr(x)


def operator(form):
    return lambda *args: args[0].writer.put(form % tuple(map(text, args)))


for _name, _sign in {"add": "+", "sub": "-", "mul": "*", "truediv": "/",
                     "lt": "<", "gt": ">", "eq": "=="}.items():
    setattr(Value, "__%s__" % _name, operator("%%s %s %%s" % _sign))
    if len(_name) > 2:
        setattr(Value, "__r%s__" % _name, lambda b, a, _sign=_sign: b.writer.put(
            "%s %s %s" % (text(a), _sign, text(b))))
Value.__neg__ = operator("-%s")


class Writer:
    """The operations "np"."""

    def __init__(self):
        self.lines, self.numbers = [], itertools.count()

    def put(self, line):
        value = Value(self, "v%d" % next(self.numbers))
        self.lines.append("%s = %s" % (value.name, line))
        return value

    def __getattr__(self, name):
        return lambda *args: self.put("np.%s(%s)" % (
            name, ", ".join(map(text, args))))


def written(function, names):
    """The text of a function "flat(np, names..)" that returns the list that "function"
    returns for operations and a list of values.
    """
    writer = Writer()
    outs = function(writer, [Value(writer, name) for name in names])
    return "def flat(np, %s):\n%s    return [%s]\n" % (
        ", ".join(names), "".join("    %s\n" % line for line in writer.lines),
        ", ".join(map(text, outs)))


def flat(function, names):
    """That function."""
    known = {}
    exec(compile(written(function, names), "<flat>", "exec"), known)
    return known["flat"]
