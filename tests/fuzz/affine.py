"""Affine terms in loop indices and sizes, for generators of programs.

A term is ["aff", {name: coefficient}, constant, divisor, modulus]: the sum,
then divided and reduced where these are not 1 and 0. Values come from an
environment of names: numbers, or intervals (low, high).
"""


def term(constant=0, divisor=1, modulus=0, **coefficients):
    return ["aff", {k: c for k, c in coefficients.items() if c}, constant,
            divisor, modulus]


def text(a, shift=0):
    """As C and index notation write it, "shift" added at the end."""
    _, names, constant, divisor, modulus = a
    plain = divisor == 1 and not modulus
    number = constant + (shift if plain else 0)
    words = []
    for name, c in names.items():
        word = name if abs(c) == 1 else "%d * %s" % (abs(c), name)
        words.append(("- " if c < 0 else "+ ") + word)
    if number or not words:
        words.append("%s %d" % ("-" if number < 0 else "+", abs(number)))
    out = " ".join(words)
    out = out[2:] if out[0] == "+" else "-" + out[2:]
    if plain:
        return out
    if len(words) > 1 or out[0] == "-" or "*" in out:
        out = "(%s)" % out
    if divisor != 1:
        out += " / %d" % divisor
    if modulus:
        out += " %% %d" % modulus
    return out + (" + %d" % shift if shift else "")


def value(a, env):
    """With / and % that round down."""
    _, names, constant, divisor, modulus = a
    n = constant + sum(c * env[k] for k, c in names.items())
    n //= divisor
    return n % modulus if modulus else n


def source(a, name):
    """As Python writes it: "name" is "v", other names are in the table "p"."""
    _, names, constant, divisor, modulus = a
    out = "%d" % constant + "".join(
        " + %d * %s" % (c, "v" if k == name else "p[%r]" % k)
        for k, c in names.items())
    if divisor != 1:
        out = "(%s) // %d" % (out, divisor)
    return "(%s) %% %d" % (out, modulus) if modulus else out


def truncate(n, divisor):
    size = abs(n) // abs(divisor)
    return size if (n < 0) == (divisor < 0) else -size


def interval(a, env):
    """With / and % as in C, perhaps by negative numbers; never smaller than
    the set of values.
    """
    _, names, constant, divisor, modulus = a
    low = high = constant
    for k, c in names.items():
        ends = [c * x for x in env[k]]
        low, high = low + min(ends), high + max(ends)
    low, high = sorted((truncate(low, divisor), truncate(high, divisor)))
    if modulus:
        modulus = abs(modulus)
        if low < 0:
            return max(low, 1 - modulus), min(max(high, 0), modulus - 1)
        return (0, modulus - 1) if high >= modulus else (low, high)
    return low, high


def simpler(a):
    """Simpler terms, the simplest first."""
    _, names, constant, divisor, modulus = a
    if divisor != 1 or modulus:
        yield ["aff", dict(names), constant, 1, 0]
    for name in names:
        if len(names) + bool(constant) > 1:
            yield ["aff", {name: 1}, 0, 1, 0]
        yield ["aff", {k: c for k, c in names.items() if k != name},
               constant, divisor, modulus]
        if abs(names[name]) > 1:
            yield ["aff", dict(names, **{name: 1}), constant, divisor,
                   modulus]
    if constant:
        yield ["aff", dict(names), 0, divisor, modulus]
