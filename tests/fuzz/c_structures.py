"""Structures in random C nests: arrays of one type and rank become members of one
array of structures, which has the name of the first; a local array becomes a
member of structures of several types.

    struct f_A { double u; struct { double A, w; } in; double v[2]; };
    A[i].in.A       B is A[i].v[1]

What is written goes through a pointer to the structure, or through a copy of it,
now and then. All follows from the program's styles, whose random numbers are not
those of the tree: a program without structures stays what it is.
"""
import math
import random

OTHERS = ["double", "int", "unsigned char"]


class Group:
    """Arrays that are one; "member" gives the path of each."""

    def __init__(self, names, kind, local, function, r):
        self.names, self.kind, self.local = names, kind, local
        self.carrier, self.tag = names[0], "%s_%s" % (function, names[0])
        self.member, self.fields, self.count = {}, [], 0
        for name in names:
            self.filler(r)
            self.add(name, r)
        self.filler(r)

    def filler(self, r):
        kind = r.choice(OTHERS) if self.local else self.kind
        if r.random() < .4:
            self.count += 1
            self.fields.append("%s u%d;" % (kind, self.count))

    def add(self, name, r):
        roll = r.random()
        if roll < .5:
            self.fields.append("%s %s;" % (self.kind, name))
            self.member[name] = "." + name
            self.count += 1
        elif roll < .75:
            self.fields.append("%s %s[2];" % (self.kind, name))
            self.member[name] = ".%s[%d]" % (name, r.randrange(2))
            self.count += 2
        else:
            both = r.sample([name, "w"], 2)
            times = r.choice([1, 2])
            self.fields.append("struct { %s %s; } in%s%s;" % (
                self.kind, ", ".join(both), name,
                "[2]" if times == 2 else ""))
            self.member[name] = ".in%s%s.%s" % (
                name, "[%d]" % r.randrange(2) if times == 2 else "", name)
            self.count += 2 * times

    def text(self):
        return "struct %s { %s };" % (self.tag, " ".join(self.fields))


class Structures:
    """The groups of a program; self.groups by the name of each array."""

    def __init__(self, program, seen, function):
        r = self.r = random.Random("structures %d" % program.styles)
        self.groups = {}
        if r.random() < .65:
            return
        free = [n for n in program.arrays if n in seen and len(seen[n]) < 5]
        for name in free:
            if name in self.groups or r.random() < .3:
                continue
            kind, local, rank = program.arrays[name][:3]
            names = [n for n in free if n not in self.groups and
                     program.arrays[n][:3] == (kind, local, rank)]
            group = Group(names[:3], kind, local, function, r)
            self.groups.update(dict.fromkeys(group.names, group))

    def merge(self, seen):
        """Arrays that are one have the subscripts of all."""
        for g in self.groups.values():
            every = [seen[n] for n in g.names]
            together = [(min(a for a, _ in at), max(b for _, b in at))
                        for at in zip(*every)]
            seen.update(dict.fromkeys(g.names, together))

    def hidden(self, name):
        """Is it in an array by another name?"""
        return name in self.groups and self.groups[name].carrier != name

    def kind(self, name, plain):
        g = self.groups.get(name)
        return "struct " + g.tag if g else plain

    def elements(self, name, extents):
        g = self.groups.get(name)
        return math.prod(extents) * (g.count if g else 1)

    def place(self, name, subscripts):
        g = self.groups.get(name)
        return g.carrier + subscripts + g.member[name] if g else \
            name + subscripts

    def statement(self, place, operator, value, subscripts):
        """The text of an assignment to an element."""
        g = self.groups.get(place[1])
        whole = g and g.carrier + subscripts
        roll = self.r.random()
        if not g or g.local or roll < .6:
            return "%s %s %s;" % (self.place(place[1], subscripts), operator,
                                  value)
        member = g.member[place[1]]
        if roll < .8:
            return "{ struct %s *p_ = &%s; p_->%s %s %s; }" % (
                g.tag, whole, member[1:], operator, value)
        return "{ struct %s t_ = %s; t_%s %s %s; %s = t_; }" % (
            g.tag, whole, member, operator, value, whole)

    def text(self):
        every = {g.tag: g.text() for g in self.groups.values()}
        return "".join(t + "\n" for t in every.values())
