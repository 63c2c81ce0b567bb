"""Programs of matrices and indices with a few changes at random, most of them malformed.

Used by the tests of what reads a text while somebody writes it.
"""
import glob
import os
import random

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
WORDS = [w.encode() for w in (
    "param", "out", "case", "nest", "for", "min", "max=", "sum(i:", "{", "}",
    "(", ")", ";", ":", "?", "=", "+=", "^T", "'", '"', "#", "//", "/*", "*/",
    "((((", "9" * 40, "1e999", "\t", "\r\n", "\n\n\n\n", "\0", "\U0001f600",
    "\ufeff")] + [b"\xff"]


def programs():
    paths = sorted(p for folder in ("tests/programs", "tests/frontend/accept",
                                    "tools/examples/*")
                   for p in glob.glob(os.path.join(ROOT, folder, "*.dsl")))
    for path in paths:
        with open(path, "rb") as f:
            text = f.read()
        if len(text) < 3000:
            yield text


def mutations(seed, n):
    """Texts as bytes."""
    rng, texts = random.Random(seed), list(programs())
    for _ in range(n):
        t = bytearray(rng.choice(texts))
        for _ in range(rng.randint(1, 6)):
            kind, at = rng.randrange(6), rng.randrange(len(t) + 1)
            if kind == 0:
                del t[at:at + rng.randint(1, 30)]
            elif kind == 1:
                t[at:at] = rng.choice(WORDS)
            elif kind == 2:
                t[at:at + 1] = bytes([rng.randrange(256)])
            elif kind == 3:
                t[at:at] = t[at // 2:at // 2 + rng.randint(1, 60)]
            elif kind == 4:
                del t[at:]
            else:
                other = rng.choice(texts)
                begin = rng.randrange(len(other))
                t[at:at] = other[begin:begin + rng.randint(1, 80)]
        yield bytes(t)


def solid(text):
    """All that formatting has to keep, and a byte order mark in front."""
    return b"".join(text.removeprefix("\ufeff".encode()).split())
