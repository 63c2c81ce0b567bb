#!/usr/bin/env python3
"""Random contractions must all go through the tile passes.

usage: random_contractions.py CETANE [--suite] [--count=N] [--seed=N] [--gpu=ARCH]
                              [--units] [--keep=FOLDER]

A contraction has groups of dimensions of the first operand, of the second, of
both (batch), and of neither the result (the reduction), one or two of each (the
batch: none or one), in any order in each tensor of rank 2 to 5; up to three
factors more; one of several bodies; any element type; and an epilogue of 0 to 4
point-wise statements. Each program must become one kernel with a contraction,
operands in shared memory that are copied ahead where their type allows it, an
accumulator in registers, and a register tile. It runs on the host device with
all checks and in the ring, where it must agree bit for bit with one thread in
the original order; every fourth also as it is, within its bound and without
checks, whose code is another. Sizes are
fixed, so that blocks are those for small ones; every fifth runs with sizes as
parameters, in the blocks for large ones, mostly more than one of them and a
part of one in each direction. With sizes that are multiples of 16,
copies must move runs of elements (every eighth runs so, too). Every third has a long sum and a small
result, which is divided into parts. In the test suite these are 6 programs,
and 200 with CETANE_TEST_CONTRACTIONS=1. With --gpu, it is assembled for both, and
must use neither stack nor spills. With --units, none runs: on sm_90a it has a matrix
unit, or "inspect" says why none does it, and that is so.
"""
import argparse
import concurrent.futures
import math
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import part

CORES = len(os.sched_getaffinity(0))

TYPES = ["f32", "f32", "f32", "f64", "f16", "bf16", "i32", "i8"]
# Of a program's loops together, with all checks; and of its tiles.
MOST_POINTS = 400000
MOST_IN_TILES = 3000000
BYTES = {"f64": 8, "f16": 2, "bf16": 2, "i8": 1}


def body(rng, reads, kind):
    """The update: its operator and value; "reads" are the operands."""
    a, b = reads[0], reads[1]
    rest = reads[2:]
    if kind == "product":
        return "+=", " * ".join(rng.sample(reads, len(reads)))
    if kind == "distance":
        value = f"abs({a} - {b})"
    elif kind == "square":
        value = f"({a} - {b}) * ({a} - {b})"
    elif kind == "shortest":
        return rng.choice(["min=", "max="]), " + ".join([a, b] + rest)
    else:
        value = f"max({a}, {b})"
    return "+=", " * ".join([value] + rest)


def epilogue(rng, type_, dims, n):
    """Statements that take T0 to the output, and the tensors they need."""
    lines, tensors = [], []
    index = ",".join(dims)
    for s in range(n):
        new = "out D" if s == n - 1 else f"T{s + 1}"
        old = f"T{s}({index})"
        kind = rng.choice(["scale", "bias", "residual", "relu", "clamp"])
        if kind == "bias":
            own = rng.sample(dims, rng.randint(1, len(dims)))
            tensors.append((f"V{s}", own))
            value = f"{old} + V{s}({','.join(own)})"
        elif kind == "residual":
            tensors.append((f"V{s}", dims))
            value = f"V{s}({index}) - {old}"
        elif kind == "scale":
            tensors.append((f"V{s}", []))
            value = f"V{s} * {old}"
        elif kind == "relu":
            value = f"max({old}, 0)"
        else:
            value = f"min(max({old}, 0), 2)"
        lines.append(f"{new}({index}) = {value};")
    return lines, tensors


def rows_in_tiles(rng, dims):
    """Let the last dimension be none of the batch, whose neighbours in memory
    belong to different tiles, so that there are runs to be copied at once.
    """
    if dims[-1][0] == "b":
        other = rng.choice([i for i, d in enumerate(dims) if d[0] != "b"])
        dims[-1], dims[other] = dims[other], dims[-1]


def make(rng):
    """The text of a program, the sizes to run it with, its type, and sizes with
    which rows of operands are multiples of 16 bytes.
    """
    group = {"m": rng.randint(1, 2), "n": rng.randint(1, 2),
             "k": rng.randint(1, 2), "b": rng.randint(0, 1)}
    dims = {g: [f"{g}{i}" for i in range(n)] for g, n in group.items()}
    tensors = [("A", dims["b"] + dims["m"] + dims["k"]),
               ("B", dims["b"] + dims["n"] + dims["k"])]
    for name in ["U", "W", "Z"][:rng.choice([0, 0, 1, 2, 3])]:
        own = dims[rng.choice(["m", "n", "k"])]
        tensors.append((name, rng.sample(own, rng.randint(1, len(own)))))
    tensors = [(t, rng.sample(d, len(d))) for t, d in tensors]
    for _, own in tensors[:2]:
        rows_in_tiles(rng, own)
    type_ = rng.choice(TYPES)
    kind = rng.choice(["product", "product", "product", "distance",
                       "shortest", "square", "larger"])
    if kind == "square":
        tensors = tensors[:3]
    op, value = body(rng, [f"{t}({','.join(d)})" for t, d in tensors], kind)
    out = dims["b"] + dims["m"] + dims["n"]
    out = rng.sample(out, len(out))
    n = rng.randint(0, 4)
    lines, more = epilogue(rng, type_, out, n)
    lines.insert(0, f"{'T0' if n else 'out D'}({','.join(out)}) {op} {value};")
    used = sum(dims.values(), [])
    text = "param " + ", ".join(d.upper() for d in used) + ";\n"
    for name, own in tensors + more:
        shape = "(" + ",".join(d.upper() for d in own) + ")" if own else ""
        text += f"tensor {type_} {name}{shape};\n"
    rows = {own[-1] for _, own in tensors[:2]}
    whole = {d.upper(): 32 if d == dims[g][-1] and g != "b" else
             16 if d in rows else 2 for g in dims for d in dims[g]}
    return (text + "\n".join(lines) + "\n", choose_sizes(rng, dims), type_,
            whole)


def choose_sizes(rng, dims):
    """Sizes around those of tiles; or small ones, and a long sum."""
    long = rng.randrange(3) == 0
    sizes = {}
    for g in dims:
        for i, d in enumerate(dims[g]):
            if g == "b" or (i == 0 and len(dims[g]) > 1):
                sizes[d.upper()] = rng.randint(1, 4)
            elif long:
                sizes[d.upper()] = (rng.randint(300, 700) if g == "k" else
                                    rng.randint(1, 17))
            else:
                sizes[d.upper()] = rng.choice(
                    [1, 2, 31, 32, 33, 63, 64, 65, rng.randint(1, 70)])
    while math.prod(sizes.values()) > MOST_POINTS:
        d = max(sizes, key=sizes.get)
        sizes[d] = (sizes[d] + 1) // 2
    return sizes


def work_in_tiles(sizes, tiles):
    return math.prod(-(-n // tiles.get(s, 1)) * tiles.get(s, 1)
                     for s, n in sizes.items())


def sizes_for_tiles(rng, sizes, text):
    """The sizes that the mapped program cuts into tiles are those of one and a
    part, or of a part, and all as small as the bound says.
    """
    contract = re.search(r"^stmt \S+ contract .*", text, re.M).group()
    tiles = {s: int(n) for n, s in re.findall(r"(\d+)t\w+ < (\w+)", contract)}
    sizes = dict(sizes)
    for s, n in tiles.items():
        if sizes[s] <= n:
            sizes[s] = rng.randint(1, n) + n * (rng.randrange(4) > 0)
    while work_in_tiles(sizes, tiles) > MOST_IN_TILES:
        d = max(sizes, key=lambda s: sizes[s] / tiles.get(s, 0.5))
        sizes[d] = (sizes[d] + 1) // 2
    return sizes


def run(arguments):
    return subprocess.run(arguments + ["--time-limit=0"], capture_output=True,
                          text=True)


def faults(text, type_):
    """What the mapped program lacks."""
    small = type_ in ("f16", "bf16", "i8")
    need = {"one kernel": len(re.findall(r"^kernel ", text, re.M)) == 1,
            "tiles": re.search(r"^kernel \S+ tiled ", text, re.M),
            "a contraction": re.search(r"^stmt \S+ contract ", text, re.M),
            "two shared operands": len(re.findall(
                r"^array \S+ \S+ temp shared ", text, re.M)) >= 2,
            "an accumulator in registers": re.search(
                r"^array \S+ \S+ temp register ", text, re.M),
            "a register tile": re.search(" vec [14] 4 | vec 1 [28] .*unit ",
                                         text),
            "copies ahead": small or " async" in text}
    return [what for what, has in need.items() if not has]


def lacks_runs(cetane, path, type_, define):
    """What is wrong with the copies of a program whose rows are multiples."""
    done = run([cetane, "build", path, "--emit=ptx", "--arch=sm_90a"] + define)
    if done.returncode:
        return done.stderr
    size = BYTES.get(type_, 4)
    runs = re.findall(r"cp\.async\.c[ag]\.shared\.global\s+\[[^]]*\], "
                      r"\[[^]]*\], (\d+)", done.stdout)
    if any(int(n) > size for n in runs):
        return None
    return " ".join(define) + f"\nno copies of runs: {sorted(set(runs))}"


def definitions(sizes):
    return [x for s, v in sizes.items() for x in ("-D", f"{s}={v}")]


def check(cetane, seed, args, folder):
    """Check program number "seed"; returns what is wrong with it."""
    text, sizes, type_, whole = make(random.Random(seed))
    path = os.path.join(folder, f"c{seed}.dsl")
    with open(path, "w") as f:
        f.write(text)
    done = run([cetane, "build", path, "--emit=poly", "-o", "-"])
    if done.returncode:
        return path, done.stderr
    missing = faults(done.stdout, type_)
    if missing:
        return path, "no " + ", no ".join(missing)
    wrong = lacks_runs(cetane, path, type_, definitions(whole))
    if wrong:
        return path, wrong
    if seed % 8 == 0 and math.prod(whole.values()) <= 2 * MOST_POINTS:
        sizes = whole
    any_size = ["--parametric"] * (seed % 5 == 0)
    if any_size:
        sizes = sizes_for_tiles(random.Random(seed), sizes, done.stdout)
    define = definitions(sizes)
    for how in ["ring"] + ["ieee"] * (seed % 4 == 0):
        done = run([cetane, "run", path, f"--semantics={how}", "--verify=full"]
                   + ["--sanitize=all"] * (how == "ring") + any_size + define)
        if done.returncode:
            return path, " ".join(define) + "\n" + done.stdout + done.stderr
    for fixed in [[], define] if args.gpu else []:
        done = run([cetane, "build", path, "--emit=cubin", "-o",
                    path + ".cubin", f"--arch={args.gpu}"] + fixed)
        use = re.findall(r"(\d+) bytes stack, (\d+) bytes spill stores",
                         done.stderr)
        if done.returncode or set(use) != {("0", "0")}:
            return path, " ".join(fixed) + "\n" + done.stderr
    return None


def wanted_unit(text, type_):
    """What the tiles of a program are multiplied on, and else why on nothing."""
    op, value = re.search(r"\) (\+|min|max)= (.*);", text).groups()
    if op != "+" or not re.fullmatch(r"[AB]\([^)]*\) \* [AB]\([^)]*\)", value):
        return None, "what is added is no product of two reads"
    if type_ in ("f32", "i32"):
        return None, "none of the target multiplies these types"
    return {"i8": "s8"}.get(type_, type_), None


def check_units(cetane, seed, args, folder):
    """Is program number "seed" on a unit, or is said why not?"""
    text, _, type_, sizes = make(random.Random(seed))
    path = os.path.join(folder, f"c{seed}.dsl")
    with open(path, "w") as f:
        f.write(text)
    kind, why = wanted_unit(text, type_)
    done = run([cetane, "build", path, "--arch=sm_90a", "--emit=poly", "-o", "-"])
    units = re.findall(r"(?m)^kernel .* unit \S+\.(\w+)", done.stdout)
    if done.returncode or units != [kind] * bool(kind):
        return path, f"units {units}, not {kind}: {done.stderr}"
    if not why:
        return None
    done = run([cetane, "inspect", path, "--arch=sm_90a", "--explain"]
               + definitions(sizes))
    if done.returncode or f"no matrix unit: {why}" not in done.stdout:
        return path, f"not said: {why}\n{done.stdout}{done.stderr}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cetane")
    parser.add_argument("--suite", action="store_true")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--gpu")
    parser.add_argument("--units", action="store_true")
    parser.add_argument("--keep")
    args = parser.parse_args()
    if args.suite and not os.environ.get("CETANE_TEST_CONTRACTIONS"):
        args.seed, args.count = 1, 8 if args.units else 4
        known = part.caught_by("contractions.units" if args.units else "contractions")
    else:
        known = ()
    failed = 0
    seeds = part.chosen(sorted({*range(args.seed, args.seed + args.count),
                                *(int(case) for case in known if case.isdigit())}))
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        results = pool.map(lambda seed: (
            check_units if args.units else check)(
            args.cetane, seed, args, args.keep or folder), seeds)
        for seed, wrong in zip(seeds, results):
            if wrong:
                failed += 1
                with open(wrong[0]) as f:
                    print(f"--- program {seed}\n{f.read()}{wrong[1]}")
                part.say_failed(seed)
    print(f"{len(seeds) - failed} of {len(seeds)} contractions")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
