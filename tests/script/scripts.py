#!/usr/bin/env python3
"""Schedule scripts: those that are accepted, and those that are refused.

usage: scripts.py CETANE accept.test|reject.test LEAST

Of those that are accepted one of four runs, unless $CETANE_TEST_WHOLE asks for all.

The head of each file says how its cases are written. A run of an accepted script is
verified against the interpreter, bit for bit in the ring; one whose sizes are not given
is compiled only. There have to be LEAST cases. Without Lua in CETANE all is skipped.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import part

SKIPPED = 77
# An expectation about the text of the program.
OTHER = "isl writes other sets when it is read"
CHECKS = ["--semantics=ring", "--sanitize=bounds,uninit,race", "--verify=full",
          "--host-orders=3"]


def cases(path):
    """The head, script and expectations of each case."""
    with open(path) as f:
        text = re.sub(r"(?m)^#.*\n", "", f.read())
    for block in re.split(r"\n\n+", text.strip()):
        lines = block.split("\n")
        yield (lines[0], "".join(s[1:] + "\n" for s in lines[1:]
                                 if s.startswith("\t")),
               [s[2:] for s in lines[1:] if s.startswith("= ")])


def words_of(sizes):
    """The words of the command for what stands behind the program: sizes, and options."""
    return [w for s in sizes for w in ([s] if s.startswith("-") else ["-D", s])]


def run(cetane, folder, head, script, verb, *args):
    """What "verb" does with the program of "head" and "script"."""
    name, *sizes = head.split()
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "s.lua")
        with open(path, "w") as f:
            f.write(script)
        return subprocess.run(
            [cetane, verb, os.path.join(folder, name), "--schedule=" + path] +
            words_of(sizes) + list(args),
            capture_output=True, text=True, cwd=work)


def has_lua(cetane):
    """Is Lua built in?"""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
    return "E337" not in run(cetane, folder, "mv.c n=4", "", "build").stderr


def accepted(cetane, folder, head, script, wanted):
    same = OTHER not in wanted
    wanted = [line for line in wanted if line != OTHER]
    if not any("=" in w and w[0] != "-" for w in head.split()):
        return read_back(cetane, folder, head, script, same)
    done = run(cetane, folder, head, script, "run", "--roundtrip", *CHECKS)
    if done.returncode or "verified" not in done.stdout or \
            "not verified" in done.stdout:
        return done.stdout + done.stderr
    for line in wanted:
        if line not in done.stderr:
            return "it does not say %s\n%s" % (line, done.stderr)
    return read_back(cetane, folder, head, script, same)


def read_back(cetane, folder, head, script, same):
    """The text of what the script makes is that of a program with all passes behind it,
    and, unless isl writes its sets otherwise then, the same again."""
    done = run(cetane, folder, head, script, "build", "--emit=poly", "-o", "-")
    mapping = ["--map=naive"] if "serial()" in script else []
    again = subprocess.run([cetane, "build", "-", "--from=poly", "--emit=poly", "-o",
                            "-"] + mapping, input=done.stdout, capture_output=True,
                           text=True)
    if done.returncode or again.returncode or (same and again.stdout != done.stdout):
        return "the program is not read as it was\n" + done.stderr + again.stderr
    return ""


def shown(text, file, code, part_of):
    """Where the message "code" that has "part_of" says that it is; None: nowhere."""
    for m in re.finditer(re.escape(file) + r":(?:(\d+):(\d+):)? \w+\[(E\d+)\]: "
                         r"(.*)", text):
        if m[3] == code and part_of in m[4]:
            return "%s:%s" % (m[1], m[2]) if m[1] else "-"
    return None


def refused(cetane, folder, head, script, wanted):
    done = run(cetane, folder, head, script, "build", "--emit=poly", "-o",
               os.devnull)
    # What the script has chosen for kernels is refused as a configuration is.
    code = 2 if any(" E610 " in line for line in wanted) else 1
    wrong = "" if done.returncode == code else "exit code %d\n" % done.returncode
    for line in wanted:
        where, code, *rest = line.split(" ", 3)
        place, text = (rest + ["", ""])[:2]
        file = "s.lua" if where == "script" else head.split()[0]
        found = shown(done.stderr, file, code, text)
        if found is None or (place and found != place and
                             found.split(":")[0] != place):
            wrong += "%s: found at %s\n" % (line, found)
    kinds = {line.split()[1] for line in wanted}
    if kinds & {"E333"} and not {"E334", "E335"} <= kinds:
        wrong += "the case does not ask for two instances\n"
    if "not freed" in done.stderr:
        wrong += "objects of isl are left over\n"
    return wrong and wrong + done.stderr


def main():
    cetane, path, least = sys.argv[1], sys.argv[2], int(sys.argv[3])
    folder = os.path.join(os.path.dirname(os.path.abspath(path)), "programs")
    judge = refused if "reject" in os.path.basename(path) else accepted
    if not has_lua(cetane):
        return SKIPPED
    every = list(cases(path))
    todo = part.chosen(every) if judge is refused else \
        part.sample(every, of=4, test="script.accept")
    n = failed = 0
    for case in todo:
        wrong = judge(cetane, folder, *case)
        n += 1
        failed += bool(wrong)
        if wrong:
            print("%s\n%s\n%s" % (case[0], case[1], wrong))
            part.say_failed(case)
    print("%d scripts, %d failed" % (n, failed))
    return failed > 0 or len(every) < least


if __name__ == "__main__":
    sys.exit(main())
