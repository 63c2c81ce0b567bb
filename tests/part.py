"""Cases of a test by name.

$CETANE_TEST_PART names the one that is to run, so that mutants/run need not run all
of a test; a case that fails says its name, and with $CETANE_TEST_FIRST it is the last.
A case that is no plain word has the sum of its text, so that other cases may be added.
"""
import atexit
import contextlib
import functools
import glob
import os
import re
import zlib

PART = os.environ.get("CETANE_TEST_PART")


def name_of(case):
    text = case if isinstance(case, str) else repr(case)
    if re.fullmatch(r"[\w.-]+", text):
        return text
    return "%08x" % zlib.crc32(text.encode())


met = not PART


@atexit.register
def say_missing():
    if not met:
        print("NO PART " + PART, flush=True)


def is_chosen(case):
    global met
    chosen_one = not PART or name_of(case) == PART
    met = met or chosen_one
    return chosen_one


def chosen(cases, key=lambda case: case):
    return [case for case in cases if is_chosen(key(case))]


@functools.lru_cache(4)
def caught_by(test=None):
    """The cases by which mutants are caught, of one test alone or of any."""
    names = set()
    for path in glob.glob(os.path.join(os.path.dirname(os.path.abspath(
            __file__)), "mutants", "*.patch")):
        with open(path, encoding="utf-8") as f:
            for line in re.findall(r"(?m)^Caught by: (.*)", f.read()):
                names.update(name for of, name in re.findall(
                    r"(\S+?)=(\S+)", line) if test in (None, of))
    return names


def is_whole():
    """Whether all cases are to run: $CETANE_TEST_WHOLE, which the long tests set."""
    return bool(os.environ.get("CETANE_TEST_WHOLE"))


def test_of(options):
    """The test that --test=NAME says these cases are of; None: any."""
    return ([o[7:] for o in options if o.startswith("--test=")] + [None])[0]


def sample(cases, key=lambda case: case, of=2, test=None):
    """One of "of" cases, at least one, by the sums of their texts, and those by which
    mutants are caught; all of them where all are to run.
    """
    if PART or is_whole():
        return chosen(cases, key)
    cases, known = list(cases), caught_by(test)
    sums = [zlib.crc32(repr(key(case)).encode()) for case in cases]
    most = sorted(sums)[(len(sums) - 1) // of] if sums else 0
    return [case for case, n in zip(cases, sums)
            if n <= most or known.intersection((str(key(case)),
                                               name_of(key(case))))]


def share(names, options):
    """The sample of the option --share=N; all names without it."""
    of = [int(o[8:]) for o in options if o.startswith("--share=")] or [1]
    return sample(names, of=of[0], test=test_of(options))


def say_failed(case):
    print("FAILED PART " + name_of(case), flush=True)
    if os.environ.get("CETANE_TEST_FIRST"):
        os._exit(1)


@contextlib.contextmanager
def saying(case):
    """If the case ends the test, its name is said."""
    try:
        yield
    except BaseException:
        say_failed(case)
        raise
