#!/usr/bin/env python3
"""The tutorial of schedule scripts does what it says.

usage: tutorial.py CETANE TUTORIAL.md

Its block of C is the program; its blocks of Lua, one behind another, are the script, each
of which is run, on the host device with all checks, with those before it; a block of
text behind one is what print_code() prints then. The tree of each script is drawn, with a
kernel from the command gpu on.
"""
import os
import re
import subprocess
import sys
import tempfile

SKIPPED = 77


def run(cetane, work, script):
    with open(os.path.join(work, "s.lua"), "w") as f:
        f.write(script)
    return subprocess.run(
        [cetane, "run", "product.c", "-D", "n=50", "--fp=reassoc",
         "--schedule=s.lua", "--semantics=ring", "--verify=full",
         "--sanitize=bounds,uninit,race"], capture_output=True, text=True, cwd=work)


def drawn(cetane, work, script):
    """Is there a drawing of the tree, with the kernel of the script?"""
    done = subprocess.run(
        [cetane, "inspect", "product.c", "-D", "n=50", "--fp=reassoc",
         "--schedule=s.lua", "--schedule", "--svg"], capture_output=True, text=True,
        cwd=work)
    return done.returncode == 0 and done.stdout.startswith("<svg") and \
        done.stdout.rstrip().endswith("</svg>") and \
        ("kernel:mm_" in done.stdout) >= ("gpu{" in script)


def main():
    cetane = sys.argv[1]
    with open(sys.argv[2]) as f:
        blocks = re.findall(r"(?ms)^```(c|lua|text)\n(.*?)^```", f.read())
    script, n, failed = "", 0, 0
    with tempfile.TemporaryDirectory() as work:
        for kind, text in blocks:
            if kind == "c":
                with open(os.path.join(work, "product.c"), "w") as f:
                    f.write(text)
                continue
            script += text if kind == "lua" else ""
            done = run(cetane, work, script + "print_code()\n")
            if "E337" in done.stderr:
                return SKIPPED
            wrong = done.returncode or "not verified" in done.stdout
            if kind == "lua" and not drawn(cetane, work, script):
                wrong = True
            if kind == "text" and text.strip() not in done.stderr:
                wrong = True
            n += 1
            failed += bool(wrong)
            if wrong:
                print("%s\n%s%s%s" % (script, text, done.stdout, done.stderr))
    print("%d blocks, %d failed" % (n, failed))
    return failed > 0 or n < 8


if __name__ == "__main__":
    sys.exit(main())
