"""Products whose copies are in bulk and those whose copies are not: what test_bulk.py
and test_boxes.py share. The command is the first argument of the test.
"""
import subprocess
import sys


def cetane(*args):
    p = subprocess.run([sys.argv[1], *args], stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT)
    if p.returncode:
        sys.exit(f"{' '.join(args)}: exit status {p.returncode}\n"
                 f"{p.stdout.decode()}")
    return p.stdout.decode()


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def must_agree(case):
    """The results of both ways have the same bits."""
    with open("bulk.npy", "rb") as f, open("async.npy", "rb") as g:
        if f.read() != g.read():
            sys.exit(f"{case}: other bits")
