"""Programs on the host device under all checks, verified, read back after every pass,
and in the ring: what tests of a pass share.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import part


def run(args, debug):
    return subprocess.run(args, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, CETANE_DEBUG=debug))


def complaints(command, args, debug):
    """What goes wrong with the program and options "args"; in the ring it need not be
    read back once more.
    """
    bad = []
    for more, how in [(["--sanitize=all", "--verify=full"], debug),
                      (["--semantics=ring"], debug.replace("roundtrip", ""))]:
        got = run([command, "run"] + args + ["--device=host"] + more,
                  how.strip(","))
        if got.returncode or not re.search(
                "verified against the interpreter", got.stdout):
            bad.append("%s: exit %d\n%s" % (more[0], got.returncode,
                                            got.stdout))
    return bad


def check_all(check, command, cases, of=3, test=None):
    """Print what "check" complains about; True if it does. A case is a text, sizes,
    and what else check(command, path, sizes, ..) gets. Where not all run, one "of" them
    does, and those by which mutants of "test" are caught.
    """
    failed = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = []
        for i, (text, sizes, *more) in enumerate(part.sample(cases, of=of, test=test)):
            path = os.path.join(folder, "case%d.dsl" % i)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            jobs.append(((text, sizes, *more), pool.submit(
                check, command, path, sizes, *more)))
        for case, job in jobs:
            for what in job.result():
                failed += 1
                print("%s%s: %s" % (*case[:2], what))
                part.say_failed(case)
    print("%d of %d failed" % (failed, len(jobs)))
    return failed > 0
