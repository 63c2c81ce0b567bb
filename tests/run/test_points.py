"""Check the mapping of loop nests: each program of points/ on the host device
under all checks, in parallel as mapped, against the order of the text.
"""
import concurrent.futures
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import part

CORES = len(os.sched_getaffinity(0))

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = [{"n": 1, "m": 1, "T": 1}, {"n": 13, "m": 5, "T": 3},
         {"n": 40, "m": 37, "T": 2}]


def sizes_of(path, values):
    with open(path) as f:
        head = f.read().split(")")[0]
    return [x for name in sorted(values) if "int %s," % name in head
            for x in ("-D", "%s=%d" % (name, values[name]))]


def complaint(command, name, values):
    path = os.path.join(HERE, "points", name)
    run = subprocess.run(
        [command, "run", path, "--device=host", "--sanitize=all",
         "--verify=full"] + sizes_of(path, values),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode or "verified against the interpreter" not in run.stdout:
        return "exit %d\n%s" % (run.returncode, run.stdout)
    return None


def main():
    command, failed = sys.argv[1], 0
    names = sorted(n for n in os.listdir(os.path.join(HERE, "points"))
                   if n.endswith(".c"))
    cases = [(name, values) for name in part.chosen(names)
             for values in SIZES]
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        results = pool.map(lambda case: complaint(command, *case), cases)
        for (name, values), bad in zip(cases, results):
            if bad:
                print("%s %s: %s" % (name, values, bad))
                part.say_failed(name)
                failed += 1
    print("%d programs, %d failures" % (len(names), failed))
    return failed > 0 or len(names) < 8


if __name__ == "__main__":
    sys.exit(main())
