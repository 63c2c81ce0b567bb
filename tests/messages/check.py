#!/usr/bin/env python3
"""Every message of polyir/base/message.def is expected by some test.

usage: check.py SOURCE-FOLDER [-v]

A test expects a message where it says what a program prints, "error[E201]"
or "E201"; where a C test compares numbers, "MSG_FE_UNDEFINED"; and in tables
of wrong programs of C tests, where the bare number stands between commas or
quotes. Comments of C tests count for nothing, those of rejected programs do:
they are the expectation. With -v, the files are listed.
"""
import os
import re
import sys

LETTER = {"ERROR": "E", "WARNING": "W", "REMARK": "R"}


def messages(root):
    with open(os.path.join(root, "polyir", "base", "message.def")) as f:
        return re.findall(r"(?m)^MSG\((\d+), (\w+), (\w+), ", f.read())


def tests(root):
    """Path -> text of the files of tests, without the comments of C."""
    result = {}
    here = os.path.dirname(os.path.abspath(__file__))
    for folder, _, files in os.walk(os.path.join(root, "tests")):
        for name in files:
            path = os.path.join(folder, name)
            if not name.endswith((".c", ".h", ".py", ".dsl", ".dag", ".test")) or \
                    os.path.abspath(folder) == here:
                continue
            with open(path, errors="replace") as f:
                text = f.read()
            if name.endswith((".c", ".h")):
                text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
            result[os.path.relpath(path, root)] = text
    return result


def expected(path, text):
    """What the file "path" expects: "E201", "MSG_FE_UNDEFINED", bare "201"."""
    words = set(re.findall(r"\b(?:[A-Z][0-9]{3}|MSG_\w+)\b", text))
    if path.endswith((".c", ".h")):
        for row in re.findall(
                r"(?=(?:, |\")((?:[0-9]{3} )*[0-9]{3})(?:,|\"))", text):
            words.update(row.split())
    return words


def main():
    root = sys.argv[1]
    rows = messages(root)
    files = {path: expected(path, text)
             for path, text in sorted(tests(root).items())}
    missing = 0
    for number, name, severity in rows:
        ways = {LETTER[severity] + number, "MSG_" + name, number}
        found = [path for path, words in files.items() if words & ways]
        if not found:
            missing += 1
            print("no test expects %s%s, %s" % (LETTER[severity], number,
                                                name))
        elif "-v" in sys.argv:
            print("%s%s: %s" % (LETTER[severity], number, " ".join(found)))
    print("%d messages, %d without a test" % (len(rows), missing))
    return 1 if missing or len(rows) < 90 else 0


if __name__ == "__main__":
    sys.exit(main())
