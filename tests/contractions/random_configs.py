#!/usr/bin/env python3
"""Random configurations of random contractions compute the same.

usage: random_configs.py CETANE [--suite] [--count=N] [--seed=N] [--keep=FOLDER]
                         [--device=DEVICE]

A program is one of random_contractions.py. Its configuration has any number of
threads, tiles, vectors, steps, stages and parts that the rules of a block allow,
not powers of two alone, or those of the unit that it can run on, and copies in bulk
or not. It runs in the ring, where it
must agree bit for bit with one thread in the original order; on the host device
with all checks. A configuration may be refused by a message (exit status 2: it
does not fit the program or the device), but nothing else may happen, and most
must be accepted. In the test suite these are 24 configurations.
"""
import argparse
import concurrent.futures
import os
import random
import re
import sys
import tempfile

import random_contractions as contractions

# Of a program's loops together, with all checks.
MOST_POINTS = 40000
VECTORS = [1, 1, 1, 2, 3, 4, 4, 5, 8]


def axis(rng, most):
    """Threads, vector and tile along one axis: up to "most" threads."""
    threads = rng.choice([1, 2, 4, 8, 16, 32, rng.randint(1, 32),
                          rng.randint(1, most)])
    threads = min(threads, most)
    vector = rng.choice(VECTORS)
    return threads, vector, threads * vector * rng.choice([1, 1, 2, 3, 4, 5])


def block(rng):
    """The words of a block; one in four has more accumulators than a thread may
    have, or asks for more shared memory than there is."""
    t0, v0, m0 = axis(rng, rng.choice([32, 32, 32, 1024]))
    t1, v1, m1 = axis(rng, 1024 // t0)
    steps = rng.choice([1, 1, 1, 2, 3, 4])
    depth = steps * rng.choice([1, 2, 4, 8, 16, rng.randint(1, 48)])
    return (f"thread {t0} {t1} tile {m0} {m1} {depth} vec {v0} {v1} "
            f"steps {steps} stages {rng.randint(1, 5)}")


def unit_block(rng, unit):
    """The same for a product that runs on "unit", or on the other one of its type."""
    kind = unit.split(".")[-1]
    if kind != "f64" and rng.randrange(2):
        groups, rows = rng.randint(1, 2), rng.randint(1, 2)
        return (f"thread {32 * groups} 4 tile {64 * groups * rows} "
                f"{64 * rng.randint(1, 4)} 64 vec 1 {rng.choice([2, 8])} "
                f"stages {rng.randint(3, 5)} unit wgmma.m64k16.{kind}")
    warps, columns = rng.randint(1, 8), 8 * rng.randint(1, 16)
    wide, k = columns % 32 == 0 and rng.randrange(2), 8 if kind == "f64" else 16
    return (f"thread {8 * warps} 4 tile {16 * warps * rng.randint(1, 3)} {columns} "
            f"{k * rng.randint(1, 4)} vec 1 {8 if wide else 2} "
            f"stages {rng.randint(1, 4)} unit mma.m16n8k{k}.{kind}")


def small(sizes):
    """The sizes, halved until the program's points are few."""
    sizes = dict(sizes)
    while contractions.math.prod(sizes.values()) > MOST_POINTS:
        d = max(sizes, key=sizes.get)
        sizes[d] = (sizes[d] + 1) // 2
    return sizes


def configuration(rng, kernel, unit, array):
    words = unit_block(rng, unit) if unit and rng.randrange(4) else block(rng)
    lines = ["cetane-config 1", f"kernel {kernel} {words}"]
    if rng.randrange(4) == 0:
        lines.append(f"parts {array} {rng.choice([rng.randint(1, 9), 64])}")
    lines.append("copies " + rng.choice(["async", "bulk"]))
    return "\n".join(lines) + "\n"


def prepare(cetane, seed, folder):
    """Program number "seed": its path, sizes, kernel, unit and the array of its sum."""
    text, sizes, _, whole = contractions.make(random.Random(seed))
    if seed % 2:
        sizes = whole
    sizes = small(sizes)
    path = os.path.join(folder, f"c{seed}.dsl")
    with open(path, "w") as f:
        f.write(text)
    done = contractions.run([cetane, "build", path, "--emit=poly", "-o", "-"]
                            + contractions.definitions(sizes))
    kernel = re.search(r"^kernel (\S+) tiled ", done.stdout, re.M)
    unit = re.search(r"^kernel .* unit (\S+)", done.stdout, re.M)
    array = re.search(r"^(?:out )?(\w+)\([^=]*\) (?:\+|min|max)=", text, re.M)
    return path, sizes, kernel and kernel[1], unit and unit[1], array[1], done


def check(args, seed, folder):
    """One configuration; ("ok" | "refused" | "wrong", what was seen)."""
    path, sizes, kernel, unit, array, done = prepare(args.cetane, seed, folder)
    if done.returncode:
        return "wrong", done.stderr
    if not kernel:
        return "refused", "no tiles for such sizes"
    rng = random.Random(seed + 1000000)
    text = configuration(rng, kernel, unit, array)
    config = path[:-4] + ".config"
    with open(config, "w") as f:
        f.write(text)
    how = ["--sanitize=all"] if args.device == "host" else \
        [f"--device={args.device}"]
    if seed % 5 == 0:
        how.append("--parametric")
    command = [args.cetane, "run", path, f"--config={config}",
               "--semantics=ring", "--verify=full"] + how + \
        contractions.definitions(sizes)
    done = contractions.run(command)
    if done.returncode == 0:
        return "ok", ""
    if done.returncode in (1, 2) and "[E610]" in done.stderr:
        return "refused", ""
    with open(path) as f:
        program = f.read()
    return "wrong", (f"exit {done.returncode} of {' '.join(command)}\n"
                     f"{program}{text}{done.stdout}{done.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cetane")
    parser.add_argument("--suite", action="store_true")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep")
    parser.add_argument("--device", default="host")
    args = parser.parse_args()
    if args.suite:
        args.seed, args.count = 1, 8
    count = {"ok": 0, "refused": 0, "wrong": 0}
    seeds = contractions.part.chosen(range(args.seed,
                                           args.seed + args.count))
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(contractions.CORES) as pool:
        results = pool.map(lambda seed: check(
            args, seed, args.keep or folder), seeds)
        for seed, (what, text) in zip(seeds, results):
            count[what] += 1
            if what == "wrong":
                print(f"--- configuration {seed}\n{text}", flush=True)
                contractions.part.say_failed(seed)
    print(f"{count['ok']} right, {count['refused']} refused, "
          f"{count['wrong']} failed")
    return count["wrong"] > 0 or count["ok"] < len(seeds) // 2


if __name__ == "__main__":
    sys.exit(main())
