#!/usr/bin/env python3
"""A script says what is done, and a file beside it which values it takes.

usage: decisions.py CETANE FOLDER

FOLDER has the programs. The values of a file, and the first ones without it, are what
print_code() shows; what does not fit is said with its line in the file, and a step that
another program has no loops for with its line in the script.
"""
import os
import subprocess
import sys
import tempfile

SKIPPED = 77
SCRIPT = """local T = tune("T", {4, 8, 16})
tile({"i", "k"}, {T, tune("TK", {2, 32})})
if tune("order", {"kept", "swapped"}) == "swapped" then interchange("i_o", "k_o") end
print_code()
print(decisions())
"""


def run(cetane, program, work, decided, *more):
    names = {"s.lua": SCRIPT}
    if decided is not None:
        names["d"] = decided
    for name, text in names.items():
        with open(os.path.join(work, name), "w") as f:
            f.write(text)
    return subprocess.run(
        [cetane, "run", program, "-D", "n=20", "--schedule=s.lua"] +
        (["--decisions=d"] if decided is not None else []) + list(more),
        capture_output=True, text=True, cwd=work)


# What a file of decisions has, the exit status, and what has to be said.
CASES = [
    (None, 0, ["i_o < 5", "k_o < 10", "T 4\nTK 2\norder kept"]),
    ("", 0, ["i_o < 5"]),
    ("# of one machine\n\nT 8\nTK 32\n", 0, ["i_o < 3", "T 8\nTK 32\norder kept"]),
    ("order swapped\n", 0, ["for (int k_o = 0; k_o < 10; k_o++)\n  for (int i_o"]),
    ("T 7\n", 1, ["s.lua:1:1: error[E331]",
                  "d:1: 'T' is decided to be 7, and the script has 4, 8, 16"]),
    ("T 8\nT 4\n", 1, ["d:2: 'T' is decided already"]),
    ("T 8 9\n", 1, ["d:1: a decision is a name and a value"]),
    ("T 8\n# x\nTJ 8\n", 1, ["d:3: the script does not ask for 'TJ'"]),
]


def main():
    cetane, folder = sys.argv[1:3]
    programs = {name: os.path.abspath(os.path.join(folder, name + ".c"))
                for name in ("update", "mv")}
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        for decided, status, texts in CASES:
            done = run(cetane, programs["update"], work, decided)
            if "E337" in done.stderr:
                return SKIPPED
            said = done.stdout + done.stderr
            wrong = [t for t in texts if t not in said]
            if done.returncode != status or wrong:
                failed += 1
                print("%r: exit code %d\n%s" % (decided, done.returncode, said))
        done = run(cetane, programs["mv"], work, "T 8\n")
        if "s.lua:2:1: error[E332]: tile cannot be done: statement 0 (S1) is in no " \
                "loop 'k'" not in done.stderr:
            failed += 1
            print(done.stderr)
        done = subprocess.run([cetane, "build", programs["mv"], "--decisions=d"],
                              capture_output=True, text=True, cwd=work)
        if done.returncode != 2 or "--schedule=FILE.lua" not in done.stderr:
            failed += 1
            print(done.stderr)
    print("%d cases, %d failed" % (len(CASES) + 2, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
