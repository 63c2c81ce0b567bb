"""Which sizes of a program a test takes, of those that are listed with it: all, or
with

    --quick         the second
    --sizes=most    all but one, another one for each program; of a program that
                    is slow to compile only one
    --sizes=rest    the one that was left out
"""
import zlib


def choose(name, sizes, options, slow=False):
    left_out = zlib.crc32(name.encode()) % len(sizes)
    others = sizes[left_out + 1:] + sizes[:left_out]
    if "--quick" in options:
        return sizes[1:2] or sizes
    if "--sizes=rest" in options or "--sizes=most" in options and not others:
        return [sizes[left_out]]
    if "--sizes=most" in options:
        return others[:1] if slow else others
    return sizes
