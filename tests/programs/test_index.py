#!/usr/bin/env python3
"""Run the programs in index notation on the host device.

usage: test_index.py CETANE [NAME...] [--quick] [--f64] [--seeds=N]
       test_index.py DIFFER --differ [NAME...] [--quick] [--f64]

Each program of index.txt is run at each of its sizes, with all checks of the
host device on and 16 orders of blocks and threads, and compared with the
interpreter of the front end and with one thread in the original order and its
error bound. --quick takes the second size only; --f64 replaces f32 by f64. With --differ
the program is fuzz_differ of tests/fuzz, which does all of it in one go, in
several orders, and in the ring.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def read_list():
    with open(os.path.join(HERE, "index.txt")) as f:
        rows = [line.rstrip("\n").split(": ") for line in f
                if line[0] != "#"]
    return {name: [s.split() for s in sizes.split(" | ")]
            for name, sizes in rows}


def run(cetane, path, sizes, options):
    command = [cetane, "run", path, "--device=host", "--checks"] + options
    for size in sizes:
        command += ["-D", size]
    p = subprocess.run(command, capture_output=True, text=True)
    return p.returncode, p.stdout + p.stderr


def run_differ(differ, path, sizes):
    line = " ".join([path] + ["-D" + size for size in sizes]) + "\n"
    p = subprocess.run([differ], input=line, capture_output=True, text=True,
                       env=dict(os.environ, DIFFER_SECONDS="200"))
    return int(p.stdout.split(None, 1)[0]), p.stdout


def main():
    words = [a for a in sys.argv[2:] if a[0] != "-"]
    options = [a for a in sys.argv[2:] if a[0] == "-"]
    seeds = [int(o[8:]) for o in options if o.startswith("--seeds=")] or [1]
    programs = read_list()
    missing = {f[:-4] for f in os.listdir(HERE) if f.endswith(".dsl")} - \
        set(programs)
    failed, runs, unbounded = len(missing), 0, 0
    for name in missing:
        print("%s.dsl is not in index.txt" % name)
    with tempfile.TemporaryDirectory() as folder:
        for name, sizes in programs.items():
            if words and name not in words:
                continue
            path = os.path.join(HERE, name + ".dsl")
            if "--f64" in options:
                with open(path) as f:
                    text = f.read().replace("f32", "f64")
                text = text.replace("FLOAT", "DOUBLE")
                path = os.path.join(folder, name + ".dsl")
                with open(path, "w") as f:
                    f.write(text)
            for size in sizes[1:2] if "--quick" in options else sizes:
                if "--differ" in options:
                    code, said = run_differ(sys.argv[1], path, size)
                    runs += 1
                    failed += code != 0
                    if code:
                        print("%s %s: %s" % (name, " ".join(size), said))
                    continue
                for how in ["full", "interp"]:
                    for seed in range(1, 1 + seeds[0]):
                        code, said = run(cetane=sys.argv[1], path=path,
                                         sizes=size, options=[
                            "--verify=" + how, "--host-seed=%d" % seed,
                            "--host-orders=16"])
                        runs += 1
                        unbounded += len(re.findall("without a bound", said))
                        if code:
                            failed += 1
                            print("%s %s --verify=%s: exit code %d\n%s" % (
                                name, " ".join(size), how, code, said))
    print("%d runs, %d failed, %d outputs with elements without a bound" % (
        runs, failed, unbounded))
    return 1 if failed or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
