#!/usr/bin/env python3
"""The script differential.py with a program in place of fuzz_differ that
answers, hangs, dies or fails as $FAKE says.

usage: test_differential.py DIFFER
"""
import inspect
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import index_notation

HERE = os.path.dirname(os.path.abspath(__file__))
FAKE = """#!%s
import os
import sys
import time

how, mark = os.environ["FAKE"], os.environ["MARK"]
for line in sys.stdin:
    with open(mark, "a") as f:
        f.write(" ".join(sys.argv[1:]) + ":" + line)
    if how == "hang":
        time.sleep(1000)
    if how == "die":
        os._exit(1)
    said = {"fail": "wrong: x as the fake says\\n", "late": "compiling",
            "endless": "running", "bits": "out A 1 2a\\n"}.get(how, "")
    code = {"fail": 5, "late": 4, "endless": 98}.get(how, 0)
    print("%%d %%d\\n%%s" %% (code, len(said), said), end="", flush=True)
""" % sys.executable


PROGRESS = re.compile(r"(?m)^\d+ s, up to seed .*\n")
TIME_UP = re.compile(r"none ran; time was up after \d+ s\n")


def start(folder, how, *options):
    """The script in progress; output goes to a file, as in long runs."""
    fake, mark = os.path.join(folder, "fake"), os.path.join(folder, "mark")
    with open(fake, "w") as f:
        f.write(FAKE)
    os.chmod(fake, 0o755)
    open(mark, "w").close()
    out = open(os.path.join(folder, "out"), "w+")
    process = subprocess.Popen(
        [sys.executable, "-B", os.path.join(HERE, "differential.py"), fake,
         "--kind=index"] + list(options), stdout=out,
        stderr=subprocess.STDOUT, env=dict(os.environ, FAKE=how, MARK=mark))
    return process, out, mark


def finish(process, out):
    """(exit code, what was printed but how far it is now and then)"""
    code = process.wait()
    out.seek(0)
    with out:
        return code, PROGRESS.sub("", out.read())


def expect(what, ok, said):
    if not ok:
        sys.exit("%s: got\n%s" % (what, said))


def check_good(folder):
    process, out, mark = start(folder, "well", "--count=30", "--jobs=2",
                               "--device=x")
    code, said = finish(process, out)
    expect("all run", code == 0 and said.endswith("index: 30 ran, 0 failed, "
           "0 were refused, 0 took too long\n"), said)
    with open(mark) as f:
        asked = f.read().splitlines()
    expect("the device is told", len(asked) == 30 and all(
        line.startswith("--device=x:") for line in asked), "\n".join(asked))


def check_failures(folder):
    for how, word in (("fail", "5 the fake"), ("die", "127")):
        code, said = finish(*start(folder, how, "--count=3",
                                   "--no-shrink")[:2])
        expect("seeds that " + how, code == 1 and said.count(": %s" % word) ==
               3 and "3 ran, 3 failed" in said.splitlines()[-1], said)


def check_shrinking_ends(folder):
    process, out, _ = start(folder, "fail", "--count=1000")
    while os.path.getsize(out.name) == 0 and process.poll() is None:
        time.sleep(.05)
    process.send_signal(signal.SIGTERM)
    code, said = finish(process, out)
    expect("a failure is told at once", code == 1 and said.startswith(
        "index seed 1 fails: 5 the fake\n"), said)
    expect("and told in full", "as the fake says" in said, said)
    expect("and counted", " failed" in said.splitlines()[-1], said)


def check_late(folder):
    code, said = finish(*start(folder, "late", "--count=2")[:2])
    expect("what is late is told", code == 0 and said.startswith(
        "index seed 1 takes too long: compiling\n"
        "index seed 2 takes too long: compiling\n"), said)
    expect("and counted", said.splitlines()[-1].endswith(
        "2 took too long (2 compiling)"), said)


def check_endless(folder):
    code, said = finish(*start(folder, "endless", "--count=2",
                               "--no-shrink")[:2])
    expect("a launch without end is a failure", code == 1 and
           said.count(": hangs\nrunning") == 2 and
           "2 ran, 2 failed" in said.splitlines()[-1], said)


LONG = """// A launch of many seconds of the processor's time.
void f(int n, unsigned A[4])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			A[0] = A[0] * 3u + A[1];
}
"""


def check_differ(folder, differ):
    """The program itself tells such a launch from a slow compilation."""
    path = os.path.join(folder, "long.i")
    with open(path, "w") as f:
        f.write(LONG)
    out = subprocess.run([differ], input=path + " -Dn=100000\n", text=True,
                         stdout=subprocess.PIPE,
                         env=dict(os.environ, DIFFER_SECONDS="1")).stdout
    expect("a long launch hangs", out.startswith("98 ") and
           out.endswith("running"), out)


def check_extents(folder, differ):
    """Definitions that remainders leave few points have no large arrays."""
    for seed in 32028, 63584:
        program = index_notation.make(seed)
        path = os.path.join(folder, "extents.dsl")
        with open(path, "w") as f:
            f.write(program.text())
        out = subprocess.run([differ], input=" ".join(
            [path] + program.defines()) + "\n", text=True,
            stdout=subprocess.PIPE).stdout
        counts = [int(n) for n in re.findall(r"(?m)^out \w+ (\d+)", out)]
        expect("index seed %d is small" % seed, out.startswith("0 ") and counts
               and max(counts) <= index_notation.MOST_ELEMENTS, out)


def check_hanging(folder):
    code, said = finish(*start(folder, "hang", "--count=2", "--limit=0.5",
                               "--no-shrink")[:2])
    expect("what hangs is a failure", code == 1 and said.count("hangs") == 2,
           said)
    code, said = finish(*start(folder, "hang", "--seconds=1", "--jobs=2",
                               "--count=100")[:2])
    expect("the time is kept", code == 0 and TIME_UP.fullmatch(said), said)


def check_compiler(folder):
    """The system's compiler that is late, or fails before time is up."""
    path = os.path.join(folder, "cc")
    for text, expected, seconds in (("exec sleep 100000", 0, 2),
                                    ("exit 3", 1, 100000)):
        with open(path, "w") as f:
            f.write("#!/bin/sh\n%s\n" % text)
        os.chmod(path, 0o755)
        old = os.environ["PATH"]
        os.environ["PATH"] = folder + os.pathsep + old
        code, said = finish(*start(folder, "well", "--kind=c", "--count=4",
                                   "--seconds=%d" % seconds)[:2])
        os.environ["PATH"] = old
        expect("cc: " + text, code == expected and (
            "status 3" in said if expected else
            TIME_UP.fullmatch(said)), said)


def check_disputes(folder):
    """A compiler whose code gives 2a, always, without optimisation, or never, and
    never but with a trap at what C leaves open.
    """
    path = os.path.join(folder, "cc")
    for always, plain, traps, last in (
            ("2a", "2a", ":", "ran, 0 failed, 0 were refused, 0 took too long\n"),
            ("1b", "2a", ":", "that C leaves open\n"),
            ("1b", "1b", "kill -ILL $$", "that C leaves open\n"),
            ("1b", "1b", ":", "4 failed, 0 were refused, 0 took too long\n")):
        with open(path, "w") as f:
            f.write("""#!/bin/sh
bits=%s
trap=:
for a; do [ "$a" != -O0 ] || bits=%s; done
for a; do [ "$a" != -fsanitize=float-cast-overflow ] || trap='%s'; done
while [ "$1" != -o ]; do shift; done
echo "#!/bin/sh" > "$2"
echo "$trap" >> "$2"
for p in p0 p1 p2 p3; do echo "echo $p A 1 $bits" >> "$2"; done
chmod 755 "$2"
""" % (always, plain, traps))
        os.chmod(path, 0o755)
        old = os.environ["PATH"]
        os.environ["PATH"] = folder + os.pathsep + old
        # Four seeds from 10 on have --no-contract.
        code, said = finish(*start(folder, "bits", "--kind=c", "--count=4",
                                   "--seed=10", "--no-shrink")[:2])
        os.environ["PATH"] = old
        expect("cc gives %s, %s, %s" % (always, plain, traps), said.endswith(last) and
               code == ("4 failed" in last), said)


def check_signal(folder):
    process, out, mark = start(folder, "well", "--count=1000000", "--jobs=2")
    while os.path.getsize(mark) < 1000 and process.poll() is None:
        time.sleep(.05)
    process.send_signal(signal.SIGTERM)
    code, said = finish(process, out)
    expect("a signal ends it in order", code == 0 and "ran, 0 failed" in
           said.splitlines()[-1], said)


def main():
    """All checks, or the one that $CETANE_TEST_PART names."""
    wanted = os.environ.pop("CETANE_TEST_PART", "")
    for check in (check_good, check_failures, check_shrinking_ends,
                  check_late, check_endless, check_hanging, check_compiler,
                  check_disputes, check_signal, check_differ, check_extents):
        more = inspect.signature(check).parameters
        with tempfile.TemporaryDirectory() as folder:
            if wanted in ("", check.__name__):
                check(folder, *sys.argv[1:len(more)])


if __name__ == "__main__":
    main()
