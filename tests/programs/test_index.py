#!/usr/bin/env python3
"""Run the programs in index notation on the host device.

usage: test_index.py CETANE [NAME...] [SIZES] [--f64] [--seeds=N]
       test_index.py DIFFER --differ [NAME...] [SIZES] [--f64]

Each program of index.txt is run at each of its sizes, with all checks of the
host device on and up to 16 orders of blocks and threads, and compared with the
interpreter of the front end and with one thread in the original order and its
error bound. SIZES are the options of sizes.py; --f64 replaces f32 by f64. With
--differ the program is fuzz_differ of tests/fuzz, which does all of it in one
go, in several orders, and in the ring.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import part
from sizes import choose

CORES = len(os.sched_getaffinity(0))

HERE = os.path.dirname(os.path.abspath(__file__))


def read_list():
    with open(os.path.join(HERE, "index.txt")) as f:
        rows = [line.rstrip("\n").split(": ") for line in f
                if line[0] != "#"]
    return {name: [s.split() for s in sizes.split(" | ")]
            for name, sizes in rows}


def run(cetane, path, sizes, options):
    command = [cetane, "run", path, "--device=host",
               "--sanitize=all"] + options
    for size in sizes:
        command += ["-D", size]
    p = subprocess.run(command, capture_output=True, text=True)
    return p.returncode, p.stdout + p.stderr


def run_differ(differ, path, sizes):
    line = " ".join([path] + ["-D" + size for size in sizes]) + "\n"
    p = subprocess.run([differ], input=line, capture_output=True, text=True,
                       env=dict(os.environ, DIFFER_SECONDS="200"))
    if p.returncode or not p.stdout:
        return p.returncode or 1, p.stdout + p.stderr
    return int(p.stdout.split(None, 1)[0]), p.stdout


def doubled(path, folder):
    """The path of a copy with f64 for f32."""
    with open(path) as f:
        text = f.read().replace("f32", "f64").replace("FLOAT", "DOUBLE")
    path = os.path.join(folder, os.path.basename(path))
    with open(path, "w") as f:
        f.write(text)
    return path


def ways(options, largest):
    """The options of the runs of a program at a size. In the quick suite, the "largest"
    of several has three orders: elements that are compared with each position take long.
    """
    if "--differ" in options:
        return [None]
    seeds = [int(o[8:]) for o in options if o.startswith("--seeds=")] or [1]
    orders = 3 if largest and not part.is_whole() else 16
    return [["--verify=both", "--host-seed=%d" % seed, "--host-orders=%d" % orders]
            for seed in range(1, 1 + seeds[0])]


def cases(words, options, folder):
    """Path, sizes and options of each run."""
    listed = read_list()
    for name in part.share([n for n in listed if not words or n in words], options):
        sizes = listed[name]
        path = os.path.join(HERE, name + ".dsl")
        if "--f64" in options:
            path = doubled(path, folder)
        for size in choose(name, sizes, options):
            for how in ways(options, size == sizes[-1] and len(sizes) > 1):
                yield path, size, how


def run_case(program, case):
    path, size, how = case
    if how is None:
        return run_differ(program, path, size)
    return run(program, path, size, how)


def main():
    words = [a for a in sys.argv[2:] if a[0] != "-"]
    options = [a for a in sys.argv[2:] if a[0] == "-"]
    missing = {f[:-4] for f in os.listdir(HERE) if f.endswith(".dsl")} - \
        set(read_list())
    failed, unbounded = len(missing), 0
    for name in missing:
        print("%s.dsl is not in index.txt" % name)
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        todo = list(cases(words, options, folder))
        results = pool.map(lambda case: run_case(sys.argv[1], case), todo)
        for (path, size, how), (code, said) in zip(todo, results):
            unbounded += len(re.findall(
                "without a bound|no element has a bound", said))
            if code:
                failed += 1
                print("%s %s %s: exit code %d\n%s" % (
                    os.path.basename(path), " ".join(size),
                    " ".join(how or []), code, said))
                part.say_failed(os.path.basename(path)[:-4])
    print("%d runs, %d failed, %d outputs with elements without a bound" % (
        len(todo), failed, unbounded))
    return 1 if failed or not todo else 0


if __name__ == "__main__":
    sys.exit(main())
