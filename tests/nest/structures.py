"""Structures of numbers in preprocessed C, read without the compiler's help: what
their members are, and a function that takes them as one that takes numbers.

    struct p { float x, v[2]; };    3 scalars of float
"""
import re

WORDS = re.compile(r"\b(const|restrict|static|volatile)\b")
DEFINED = re.compile(r"\bstruct\s*(\w*)\s*\{")


class Structure:
    """The scalars of a structure: the path of each member, and its C type."""

    def __init__(self, names):
        self.names = names      # by which it can be called
        self.scalars = []

    @property
    def type(self):
        """The C type of all scalars."""
        kinds = {kind for _, kind in self.scalars}
        assert len(kinds) == 1, self.names
        return kinds.pop()


def closing(text, at):
    """Behind the brace that closes the one in front of "at"."""
    depth = 1
    while depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return at


def read_members(structure, body, known):
    while True:
        inner = DEFINED.search(body)
        if not inner:
            break
        end = closing(body, inner.end())
        name = "struct inner%d" % len(known)
        known[name] = Structure([name])
        read_members(known[name], body[inner.end():end - 1], known)
        body = body[:inner.start()] + name + body[end:]
    for line in body.split(";"):
        if line.strip() in known:       # "struct innerN" without a name
            structure.scalars += known[line.strip()].scalars
            continue
        words = re.match(r"\s*((?:struct |unsigned |signed )?\w+)\s+(.*)",
                         WORDS.sub("", line), re.S)
        kind = words and words.group(1)
        for declared in words.group(2).split(",") if words else []:
            name = re.match(r"\s*(\w+)", declared)
            if not name:        # a pointer, which no test passes on
                continue
            name = name.group(1)
            times = 1
            for n in re.findall(r"\[([^\]]*)\]", declared):
                times *= int(n) if n.strip().isdigit() else 0
            inner = known[kind].scalars if kind in known else [("", kind)]
            structure.scalars += times * [
                (name + (path and "." + path), k) for path, k in inner]


def read(text):
    """The structures of a text, by the names of their types."""
    known = {}
    for m in DEFINED.finditer(text):
        if text[:m.start()].count("{") != text[:m.start()].count("}"):
            continue
        end = closing(text, m.end())
        names = ["struct " + m.group(1)] if m.group(1) else []
        alias = re.match(r"\s*(\w+)\s*;", text[end:])
        if alias and re.search(r"\btypedef\s+$", text[:m.start()]):
            names.append(alias.group(1))
        structure = Structure(names)
        read_members(structure, text[m.end():end - 1], known)
        known.update(dict.fromkeys(names, structure))
    for tag, name in re.findall(r"\btypedef\s+(struct \w+)\s+(\w+)\s*;", text):
        if tag in known:
            known[name] = known[tag]
    return known


def of_parameter(text, known):
    """The structure of a parameter, or None."""
    plain = WORDS.sub(" ", text)
    m = re.match(r"\s*(struct \w+|\w+)\b", plain)
    return known.get(" ".join(m.group(1).split())) if m else None


def is_array(part):
    return "*" in part or "[" in part


def paths(structure):
    """The members with their C types, and their own extents: [(path, type,
    extents)]. Arrays of structures inside of structures are not read here.
    """
    counts = {}
    for path, kind in structure.scalars:
        counts[path, kind] = counts.get((path, kind), 0) + 1
    return [(path, kind, "[%d]" % n if n > 1 else "")
            for (path, kind), n in counts.items()]


def is_split(part, known):
    """Is the parameter several: a structure by value, or of several types?"""
    structure = of_parameter(part, known)
    return structure and (not is_array(part) or
                          len({kind for _, kind in structure.scalars}) > 1)


def copies(name, extents, members, back):
    """Text that copies members to structures, or back."""
    at = "".join("[i%d]" % d for d in range(len(extents)))
    out = "".join("for (long i%d = 0; i%d < %s; i%d++) " % (d, d, n, d)
                  for d, n in enumerate(extents)) + "{"
    for path, _, own in members:
        left = "%s%s.%s" % (name, at, path)
        right = "%s_%s%s" % (name, path.replace(".", "_"), at)
        if own:
            out += " for (int j = 0; j < %s; j++)" % own[1:-1]
            left, right = left + "[j]", right + "[j]"
        out += " %s = %s;" % ((right, left) if back else (left, right))
    return out + " }"


def flatten(parts, known, flat=()):
    """Parameters that are numbers and arrays of these, and how structures are
    made of them: (parts, text in front of a call, arguments, text behind it).
    "flat" gives the elements behind pointers.
    """
    listed, before, arguments, behind = [], "", [], ""
    for part in parts:
        structure = of_parameter(part, known)
        name = re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", part))[-1]
        arguments.append(name)
        if not is_split(part, known):
            listed.append(part)
            continue
        extents = [flat[name]] if name in flat else [
            re.sub(r"(\w)\.(\w)", r"\1_\2", x)
            for x in re.findall(r"\[([^\]]*)\]", part)]
        if "*" in part and not extents:
            extents = ["1"]
        at = "".join("[%s]" % x for x in extents)
        members = paths(structure)
        const = "const " if "const" in part else ""
        listed += ["%s%s %s_%s%s%s" % (
            const, kind, name, path.replace(".", "_"), at, own)
                   for path, kind, own in members]
        before += " %s %s%s; %s" % (structure.names[0], name, at,
                                    copies(name, extents, members, False))
        if extents and not const:
            behind += copies(name, extents, members, True)
    return listed, before, ", ".join(arguments), behind
