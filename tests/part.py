"""Cases of a test by name.

$CETANE_TEST_PART names the one that is to run, so that mutants/run need not run all
of a test; a case that fails says its name. A case that is no plain word has the sum
of its text, so that other cases may be added.
"""
import contextlib
import os
import re
import zlib

PART = os.environ.get("CETANE_TEST_PART")


def name_of(case):
    text = case if isinstance(case, str) else repr(case)
    if re.fullmatch(r"[\w.-]+", text):
        return text
    return "%08x" % zlib.crc32(text.encode())


def is_chosen(case):
    return not PART or name_of(case) == PART


def chosen(cases, key=lambda case: case):
    return [case for case in cases if is_chosen(key(case))]


def say_failed(case):
    print("FAILED PART " + name_of(case), flush=True)


@contextlib.contextmanager
def saying(case):
    """If the case ends the test, its name is said."""
    try:
        yield
    except BaseException:
        say_failed(case)
        raise
