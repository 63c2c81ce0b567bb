#!/usr/bin/env python3
"""The programs of the rows on the host device.

usage: test_rows.py CETANE [WAY] [--once] [NAME...]

Each program runs at its small sizes in each type that its rows have, with all
checks of the host device and without them, and is compared with the interpreter;
with NumPy, if there is one, its outputs are compared with the reference of the
table, too. WAY is one of these:

--objects   compile objects as the benchmark does, run them on the host device
            through ctypes, and compare them with the references; if there is
            torch, compare its reference and all rivals, too (needs NumPy)
--compile   compile the programs of all rows to PTX at the sizes that are measured
--random=N  N random row programs (tests/fuzz/row_programs.py) instead of those of
            the table, compared with their reference by NumPy
--mixed=N   N random programs of many statements (tests/fuzz/mixed_programs.py)

--once takes each program in one type and size, and none of LONG; --share=N one of N
programs, and those by which mutants of --test=NAME are caught.
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import part

import backends
import bench
import program
import table
import wanted

SKIPPED = 77
CORES = len(os.sched_getaffinity(0))


def has_numpy():
    try:
        import numpy
    except ImportError:
        return False
    return numpy is not None


def command(case, folder, *words):
    path = os.path.join(folder, case.stem + ".dsl")
    with open(path, "w") as f:
        f.write(case.text)
    return [*words, path, *case.defines()]


def complaint(words):
    """What the command says if it fails, or None."""
    said = subprocess.run(words, capture_output=True, text=True)
    return said.stdout + said.stderr if said.returncode else None


def arrays_of(cetane, case, folder):
    """The arrays, as the command tells them."""
    said = subprocess.run(command(case, folder, cetane, "check"), check=True,
                          capture_output=True, text=True)
    return program.arrays_of(said.stdout, case.sizes)


# Checked code asks before each access, so that loads and stores go by themselves;
# the other one moves runs. One thread in the original order is the same for both.
WAYS = [["--verify=both", "--sanitize=all", "--host-orders=4"], ["--verify=auto"]]


def run(cetane, case, folder):
    """What is wrong with the outputs, or None."""
    return next(filter(None, (run_way(cetane, case, folder, way)
                              for way in WAYS)), None)


def run_way(cetane, case, folder, way):
    words = command(case, folder, cetane, "run", "--device=host", *way)
    if not has_numpy():
        return complaint(words)
    np, values = backends.Numpy(), []
    arrays = arrays_of(cetane, case, folder)
    path = {a.name: os.path.join(folder, a.name + ".npy") for a in arrays}
    for a in arrays:
        words += ["-i" if a.is_input else "-o",
                  "%s=%s" % (a.name, path[a.name])]
        if a.is_input:
            x = np.input(a, case.row.data.get(a.name), arrays)
            values.append(np.wide(x, a.type))
            np.save(path[a.name], x)
    outputs = [a for a in arrays if not a.is_input]
    return complaint(words) or compare(
        outputs, [np.wide(np.load(path[a.name]), a.type)
                      for a in outputs], wanted.Wanted(np, case, values))


def compare(outputs, got, expected, allowed=1):
    """What is wrong with the outputs "got", or None."""
    if not len(outputs) == len(got) == len(expected.outs):
        return "%d outputs, not %d\n" % (len(got), len(expected.outs))
    for a, error in zip(outputs, expected.errors(outputs, got)):
        if not error <= allowed:
            return "%s is off by %g of what is allowed\n" % (a.name, error)
    return None


# --------------------------------------------------------------- objects

def run_object(folder, case):
    """What is wrong with an object on the host device, or None."""
    if not os.path.exists(os.path.join(folder, case.stem + ".so")):
        return "it was refused\n"
    np, p = backends.Numpy(), program.Program(folder, case)
    data = [np.input(a, case.row.data.get(a.name), p.arrays)
            for a in p.inputs]
    values = [np.wide(x, a.type) for x, a in zip(data, p.inputs)]
    host = program.Host(p)
    outs = host.run([x.tobytes() for x in data])
    host.close()
    expected = wanted.Wanted(np, case, values)
    return compare(p.outputs,
                   [np.wide(np.from_bytes(out, a), a.type)
                    for a, out in zip(p.outputs, outs)], expected) or \
        check_torch(np, p, values, case, expected)


def check_torch(np, p, values, case, expected):
    """What is wrong with the reference and the rivals in PyTorch, or None."""
    try:
        import torch
    except ImportError:
        return None
    t = backends.Torch(torch, "cpu")
    wide = [torch.tensor(x.tolist(), dtype=t.types[
        a.type if a.type[0] == "i" else "f64"]).reshape(a.shape)
        for x, a in zip(values, p.inputs)]
    narrow = [t.rounded(x, a.type) for x, a in zip(wide, p.inputs)]
    found = [("reference", case.reference(t, wide), 1e-3)]
    for name, function, compiled in bench.rivals_of(case):
        torch._dynamo.reset()
        side = bench.Theirs(torch, case, function, compiled, 1)
        side.call([narrow], 0)
        found.append((name, [t.wide(x, a.type) for x, a in zip(
            side.results(), p.outputs)], bench.RIVAL_ALLOWED))
    for name, outs, allowed in found:
        wrong = compare(p.outputs, [
            np.array(x.tolist()).reshape(tuple(x.shape)) for x in outs],
            expected, allowed)
        if wrong:
            return "%s of PyTorch: %s" % (name, wrong)
    return None


# ------------------------------------------------------------------ cases

def kinds(row):
    return sorted({size[0] for size in row.sizes})


def random_cases(kind, count):
    return [kind(seed) for seed in range(1, count + 1)
            if part.is_chosen("%s-%d" % (kind.family, seed))]


def cases(words, options):
    for option in options:
        if option.startswith("--random="):
            return random_cases(program.Random, int(option[9:]))
        if option.startswith("--mixed="):
            return random_cases(program.Mixed, int(option[8:]))
    return list(table_cases(words, options))


# Programs that take long and are more of the same: --once leaves them out, unless they
# are named.
LONG = {"convolutions_16"}      # convolutions_8


def table_cases(words, options):
    names = part.share([n for n in table.ROWS if not words or n in words], options)
    for i, name in enumerate(names):
        row = table.ROWS[name]
        if "--once" in options and name in LONG and not words and not part.PART:
            continue
        sizes = [(kind, *small) for kind in kinds(row)
                 for small in reversed(row.small)]
        if "--compile" in options:
            sizes = row.sizes
        elif "--once" in options or "--objects" in options:
            sizes = sizes[::len(row.small)]
        if "--once" in options:
            sizes = [sizes[i % len(sizes)]]
        for kind, *values in sizes:
            yield program.Case(name, kind, values)


def work(cetane, case, options, folder):
    """What is wrong with a case, or None."""
    if "--objects" in options:
        return run_object(folder, case)
    if "--compile" in options:
        return complaint(command(case, folder, cetane, "build", "--emit=ptx",
                                 "-o", os.path.join(folder,
                                                    case.stem + ".ptx")))
    with tempfile.TemporaryDirectory(dir=folder) as own:
        return run(cetane, case, own)


def lacking():
    """Programs without a row, and rows without a program."""
    there = {f[:-4] for f in os.listdir(program.HERE) if f.endswith(".dsl")}
    return there ^ set(table.ROWS)


def main():
    words = [a for a in sys.argv[2:] if a[0] != "-"]
    options = [a for a in sys.argv[2:] if a[0] == "-"]
    cetane = os.path.abspath(sys.argv[1])
    if "--objects" in options and not has_numpy():
        print("there is no NumPy")
        return SKIPPED
    failed = len(lacking())
    for name in lacking():
        print("%s is either no row or no program" % name)
    todo = cases(words, options)
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        if "--objects" in options:
            bench.build(cetane, folder, todo, CORES)
            pool = concurrent.futures.ThreadPoolExecutor(1)
        results = pool.map(lambda c: work(cetane, c, options, folder), todo)
        for case, wrong in zip(todo, results):
            if wrong:
                failed += 1
                print("%s:\n%s" % (case, wrong), flush=True)
                part.say_failed(case.name)
    print("%d runs%s, %d failed" % (
        len(todo), "" if has_numpy() else " without NumPy", failed))
    return 1 if failed or not todo else 0


if __name__ == "__main__":
    sys.exit(main())
