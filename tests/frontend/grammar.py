#!/usr/bin/env python3
"""The grammar of frontend/README.md is the grammar of the parser.

usage: grammar.py CETANE README

Sentences are derived from the grammar as it stands in the README, until every
production, every alternative, every optional part with and without, and every
repetition with none, one and several has been taken. The command must find
no error of grammar in them (names and shapes may be wrong). With one token
taken out or doubled, it must find an error or none, but never fail itself.
"""
import random
import re
import subprocess
import sys

# Errors that a sentence of the grammar must not have: 101 to 110.
GRAMMAR_ERROR = re.compile(r"error\[E1(0\d|10)\]")
NUMBERS = ["2", "1.5", ".5", "2.", "1e-3"]
SENTENCES, DEPTH = 200, 48


def read_grammar(path):
    """Name of a production -> its right-hand side as a tree."""
    with open(path) as f:
        text = f.read()
    text = text[text.index("\n## Grammar\n"):]
    text = text[text.index("```\n") + 4:].split("```")[0]
    rules, name = {}, None
    for line in text.split("\n"):
        head = re.match(r"(\w+)\s*= ", line)
        if head:
            name = head[1]
            rules[name] = ""
            line = line[head.end():]
        if line.strip():
            rules[name] += " " + line.strip()
    return {n: parse(re.findall(r'"[^"]+"|\w+|[|{}\[\]()]', body))
            for n, body in rules.items()}


def parse(tokens):
    """("alt", [sequence...]); a sequence has strings and such trees."""
    sequences = [[]]
    while tokens and tokens[0] not in "}])":
        token = tokens.pop(0)
        if token == "|":
            sequences.append([])
        elif token in "{[(":
            kind = {"{": "repeat", "[": "option", "(": "alt"}[token]
            inner = parse(tokens)
            tokens.pop(0)
            sequences[-1].append(inner if kind == "alt" else (kind, inner))
        else:
            sequences[-1].append(token)
    return ("alt", sequences)


class Deriver:
    def __init__(self, rules, seed):
        self.rules, self.random = rules, random.Random(seed)
        self.taken, self.choices = set(), set()
        self.cost = dict.fromkeys(rules, float("inf"))
        for tree in rules.values():
            self.note(tree)
        for _ in rules:
            self.cost = {n: self.least(t) for n, t in rules.items()}

    def least(self, part):
        """The number of tokens that "part" has at least."""
        if not isinstance(part, tuple):
            return self.cost.get(part, 1)
        if part[0] != "alt":
            return 0
        return min(sum(map(self.least, way)) for way in part[1])

    def note(self, tree):
        """Every choice that there is."""
        kind, inside = tree
        for i in range(len(inside) if kind == "alt" else
                       3 if kind == "repeat" else 2):
            self.choices.add((id(tree), i))
        for part in sum(inside, []) if kind == "alt" else [inside]:
            if isinstance(part, tuple):
                self.note(part)

    def choose(self, tree, n, depth):
        """One of "n" ways, those not taken yet first; the shortest if it is
        deep.
        """
        fresh = [i for i in range(n) if (id(tree), i) not in self.taken]
        way = self.random.choice(fresh or range(n))
        if not fresh and tree[0] == "repeat" and depth > 4:
            way = self.random.choice([0, 0, 0, 0, 1, 2])
        if depth >= DEPTH:
            way = 0 if tree[0] != "alt" else min(range(n), key=lambda i: sum(
                map(self.least, tree[1][i])))
        self.taken.add((id(tree), way))
        return way

    def derive(self, part, depth):
        if isinstance(part, tuple):
            kind, inside = part
            if kind == "alt":
                way = inside[self.choose(part, len(inside), depth)]
                return sum((self.derive(p, depth + 1) for p in way), [])
            n = self.choose(part, 3 if kind == "repeat" else 2, depth)
            return sum((self.derive(inside, depth + 1) for _ in range(n)), [])
        if part.startswith('"'):
            return [part[1:-1]]
        if part == "NAME":
            return [self.random.choice("ABCDMNK")]
        if part == "INTEGER":
            return [str(self.random.randrange(100))]
        if part == "NUMBER":
            return [self.random.choice(NUMBERS)]
        if part == "FUNCTION":
            return [self.random.choice(["ReLU", "min", "transpose"])]
        if part == "CALL":
            return [self.random.choice(["ReLU", "max", "sin", "select",
                                        "atan2", "hypot", "copysign",
                                        "f32", "u8"])]
        if part == "TYPE":
            return [self.random.choice(["f32", "i64", "bool", "bf16"])]
        return self.derive(self.rules[part], depth + 1)


def check(cetane, tokens):
    text = " ".join(tokens).replace(" ^T", "^T")
    p = subprocess.run([cetane, "check", "-"], input=text.encode(),
                       capture_output=True)
    return p.returncode, p.stderr.decode(), text


def main():
    cetane, readme = sys.argv[1], sys.argv[2]
    d = Deriver(read_grammar(readme), 1)
    failed = 0
    for _ in range(SENTENCES):
        tokens = d.derive("program", 0)
        code, said, text = check(cetane, tokens)
        if code not in (0, 1) or GRAMMAR_ERROR.search(said):
            failed += 1
            print("refused: %s\n%s" % (text, said))
        if tokens:
            at = d.random.randrange(len(tokens))
            tokens[at:at + 1] = tokens[at:at + 1] * d.random.choice([0, 2])
        code, said, text = check(cetane, tokens)
        if code not in (0, 1) or (code and "error[E" not in said):
            failed += 1
            print("exit code %d: %s\n%s" % (code, text, said))
    print("%d productions, %d of %d choices taken, %d failures" % (
        len(d.rules), len(d.taken), len(d.choices), failed))
    return 1 if failed or d.taken != d.choices or len(d.rules) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
