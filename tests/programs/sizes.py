"""Which sizes of a program a test takes, of those that are listed with it: all, or
with

    --quick         the second
    --sizes=one     one, another one for each program; two of a program by which
                    mutants are caught, if there are three
    --sizes=rest    another one than that, if there are several

With --share=N the test takes one of N programs, and those by which mutants are
caught (part.py). --test=NAME says which test it is: mutants of others do not count.
"""
import zlib

import part


def choose(name, sizes, options):
    left_out = zlib.crc32(name.encode()) % len(sizes)
    others = sizes[left_out + 1:] + sizes[:left_out]
    if "--quick" in options:
        return sizes[1:2] or sizes
    if "--sizes=rest" in options or "--sizes=one" in options and not others:
        return [sizes[left_out]]
    if "--sizes=one" in options:
        known = name in part.caught_by(part.test_of(options))
        return others[:2 if known else 1]
    return sizes
