"""Make a failing program smaller.

Programs are trees of lists whose first element is a tag, so that one way to
edit them does for all languages. A language gives, for a node, the nodes that
may stand in its place (its method "instead"), the simplest first.
"""
import copy
import inspect
import itertools
import time


class Sized:
    """A program of the tree "tree" whose sizes are "sizes". What it is made of has the
    names of the parameters of its class.
    """

    def remade(self, **other):
        """The same program, but for what "other" gives."""
        fields = inspect.signature(type(self)).parameters
        return type(self)(**{name: other.get(name, getattr(self, name))
                             for name in fields})

    def smaller_sizes(self):
        for name, n in self.sizes.items():
            for less in sorted({1, 2, 3, n - 1}):
                if 0 < less < n:
                    yield dict(self.sizes, **{name: less})

    def defines(self):
        return ["-D%s=%d" % item for item in self.sizes.items()]


def nodes(tree, path=()):
    """All nodes with their paths, outer ones first."""
    if isinstance(tree, list):
        if tree and isinstance(tree[0], str):
            yield path, tree
        for i, child in enumerate(tree):
            yield from nodes(child, path + (i,))


def replaced(tree, path, new):
    tree = copy.deepcopy(tree)
    node = tree
    for i in path[:-1]:
        node = node[i]
    if new is None:
        del node[path[-1]]
    else:
        node[path[-1]] = copy.deepcopy(new)
    return tree


def candidates(program):
    """Smaller programs: sizes first, then parts from the outside in."""
    for sizes in program.smaller_sizes():
        yield program.remade(sizes=sizes)
    for path, node in list(nodes(program.tree)):
        for new in program.instead(node):
            if path:
                yield program.remade(tree=replaced(program.tree, path, new))


def shrink(program, fails, seconds=300):
    """The smallest program found that fails as "program" does. fails(p) tells
    whether "p" does.
    """
    end, place, since = time.time() + seconds, 0, 0
    while time.time() < end:
        smaller = next(itertools.islice(candidates(program), place, None),
                       None)
        if smaller is None:
            if not since:
                break
            place = since = 0
            continue
        try:
            better = fails(smaller)
        except (KeyError, IndexError, ValueError):
            better = False
        if better:
            program, since = smaller, since + 1
        else:
            place += 1
    return program
