#!/usr/bin/env python3
"""C nests against the system's C compiler.

usage: against_cc.py CETANE FOLDER [NAME...] [--swap] [SIZES]

Each FILE.c of the folder begins with a line such as

    // sizes: n=1 m=1; n=7 m=5    ulp: 2    flat: a=n*m,b=m    args: -D X

and defines a function of the file's name. The same file is compiled by cc (-O1
-ffp-contract=off) to a shared object and by cetane (--fp=strict
--no-contract), both run on the same random inputs for each group of sizes,
and all outputs must be the same bytes; with "ulp", floats may differ by that
many units in the last place. cetane verifies its result in its own way, too,
checks bounds, uninitialised reads and races, and gives the same bits in 16
orders of blocks and threads (3, where sizes make more than 100,000 points: elements
that are compared with each position take long). Structures are arrays of their
members; of one by value, or of several types, "g_n" is the member "g.n". "flat" gives
the number of elements behind each pointer; SIZES are the options of
tests/programs/sizes.py.
"""
import array
import concurrent.futures
import ctypes
import functools
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import npy  # noqa: E402
import part
import structures
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             os.pardir, "programs"))
from sizes import choose  # noqa: E402

CORES = len(os.sched_getaffinity(0))

# C type -> array typecode, ctypes type, .npy descriptor
TYPES = {"double": ("d", ctypes.c_double, "<f8"),
         "float": ("f", ctypes.c_float, "<f4"),
         "_Float16": ("H", ctypes.c_ushort, "<f2"),
         "int": ("i", ctypes.c_int, "<i4"),
         "unsigned": ("I", ctypes.c_uint, "<u4"),
         "unsigned int": ("I", ctypes.c_uint, "<u4"),
         "long": ("q", ctypes.c_long, "<i8"),
         "unsigned long": ("Q", ctypes.c_ulong, "<u8"),
         "size_t": ("Q", ctypes.c_ulong, "<u8"),
         "short": ("h", ctypes.c_short, "<i2"),
         "unsigned short": ("H", ctypes.c_ushort, "<u2"),
         "char": ("b", ctypes.c_byte, "|i1"),
         "signed char": ("b", ctypes.c_byte, "|i1"),
         "unsigned char": ("B", ctypes.c_ubyte, "|u1"),
         "_Bool": ("B", ctypes.c_bool, "|b1")}
WORDS = ("const", "restrict", "static", "volatile", "extern", "inline")
STRICT = ["--fp=strict", "--no-contract"]
FLAGS = ["-O1", "-ffp-contract=off", "-fno-builtin", "-w"]


class Parameter:
    """One parameter: name, C type, extents as texts (None: a scalar). An array
    of structures has one extent more.
    """

    def __init__(self, text, known=None):
        dims = re.findall(r"\[([^\]]*)\]", text)
        head = re.sub(r"\[[^\]]*\]", " ", text).replace("*", " * ")
        words = [w for w in head.split() if w not in WORDS]
        self.pointer = "*" in words
        words = [w for w in words if w not in ("*", "(", ")")]
        self.name = words[-1].strip("()")
        self.type = " ".join(words[:-1])
        dims = [re.sub(r"\b(static|const|restrict)\b", "", d).strip()
                for d in dims]
        self.dims = dims or None
        row = structures.of_parameter(text, known or {})
        if row:
            self.type = row.type
            self.dims = (dims or ["1"]) + [str(len(row.scalars))]

    def shape(self, sizes):
        return [eval(d.replace("/", "//"), {}, sizes) for d in self.dims]


def split(text):
    """The parts of a list of parameters."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += c in "([" 
        depth -= c in ")]"
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    return [p for p in parts + [part] if p.strip() not in ("", "void")]


def preprocess(path, flags):
    out = subprocess.run(["cc", "-E", "-P"] + flags + [path], check=True,
                         capture_output=True, text=True)
    return out.stdout


def resolve_types(text):
    """Names of arithmetic types that typedef declares, replaced."""
    for kind, name in re.findall(
            r"typedef\s+((?:unsigned |signed )?\w+)\s+(\w+)\s*;", text):
        if kind in TYPES and name not in TYPES:
            text = re.sub(r"\b%s\b" % name, kind, text)
    return text


def find_function(text, name):
    """Return type and text of the parameters of the definition."""
    text = resolve_types(text)
    pattern = r"([\w \n*]+?)\b(%s)\s*\(([^;{}]*?)\)\s*\{" % (name or r"\w+")
    for m in re.finditer(pattern, text):
        if m.group(2) in ("if", "for", "while", "main"):
            continue
        kind = " ".join(w for w in m.group(1).split() if w not in WORDS)
        return kind, m.group(2), m.group(3)
    raise ValueError("no function")


def random_data(p, count, tame):
    """Seeded numbers; "tame": a matrix that can be factorised."""
    r = random.Random(p.name)
    code = TYPES[p.type][0]
    if p.type == "_Float16":
        return array.array(code, struct.pack("<%de" % count, *(
            r.uniform(-4, 4) for _ in range(count))))
    if code in "df":
        data = [r.uniform(-1, 1) for _ in range(count)]
        if tame:
            for i in range(tame):
                for k in range(i):
                    data[i * tame + k] = data[k * tame + i]
                data[i * tame + i] = tame + 1.0
    elif p.type == "_Bool":
        data = [r.randint(0, 1) for _ in range(count)]
    else:
        low = 0 if code.isupper() else -4
        data = [r.randint(low, low + 8) for _ in range(count)]
    return array.array(code, data)


def elements(path):
    """The bytes of the elements of a file."""
    with open(path, "rb") as f:
        return npy.split(f.read())[2]


def build(path, flags, kind, name, params, folder, known, flat, source):
    """The entry of the shared object of the file with the preprocessed "source": it is
    not static and takes no structures by value or of several types.
    """
    listed, before, args, behind = structures.flatten(split(params), known,
                                                      flat)
    listed = [re.sub(r"(\w)\.(\w)", r"\1_\2", p) if "[" in p else p
              for p in listed]
    params = ", ".join(listed) or "void"
    call = "%s(%s); %s" % (name, args, behind)
    if kind != "void":
        call = "%s value = %s return value;" % (kind, call)
    # An array by another name than the parameter's would lose its extents.
    text = ('#define main static unused_main\n#include "%s"\n#undef main\n'
            "%s cetane_entry(%s) {%s %s }\n" % (
                os.path.abspath(path), kind, params, before, call))
    target = os.path.join(folder, "entry.so")
    with open(target, "wb") as f:
        f.write(shared_object(text, tuple(flags), source))
    return ctypes.CDLL(target).cetane_entry


@functools.lru_cache(None)
def shared_object(text, flags, _):
    """The bytes that cc makes of the text and the source that it includes, once for all
    sizes; each of these loads a copy, whose global variables are as they begin.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, target = [os.path.join(folder, "entry" + s) for s in (".c", ".so")]
        with open(source, "w") as f:
            f.write(text)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", target, source, *FLAGS,
                        *flags, "-lm"], check=True)
        with open(target, "rb") as f:
            return f.read()


def close(a, b, code, ulp):
    """True if the arrays are the same up to "ulp", zeros with their signs; NaN is
    NaN.
    """
    if a.tobytes() == b.tobytes():
        return True
    if code not in "df":
        return False
    unit = 2.0 ** (-52 if code == "d" else -23)
    for x, y in zip(a, b):
        if x == y and math.copysign(1, x) != math.copysign(1, y):
            return False
        if x == y or (x != x and y != y):
            continue
        if not abs(x - y) <= ulp * unit * max(abs(x), abs(y)):
            return False
    return True


def run_cetane(command, params, data, shapes, folder, check, files):
    """Run; the outputs as bytes, by name."""
    line = subprocess.run(check, capture_output=True, text=True)
    if line.returncode:
        raise ValueError("exit %d: %s" % (line.returncode, line.stderr))
    if "not freed" in line.stderr:
        raise ValueError(line.stderr)
    roles = re.findall(r"(?m)^(input|inout|output) +\S+ (\w+)", line.stdout)
    outputs = {}
    for role, name in roles:
        p = next((p for p in params if p.name == name), None)
        if role != "output":
            path = os.path.join(folder, name + ".in.npy")
            with open(path, "wb") as f:
                f.write(npy.pack(TYPES[p.type][2], shapes[name],
                                 data[name].tobytes()))
            command = command + ["-i", "%s=%s" % (name, path)]
        if role != "input":
            outputs[name] = os.path.join(folder, name + ".out.npy")
            command = command + ["-o", "%s=%s" % (name, outputs[name])]
    out = subprocess.run(command, capture_output=True, text=True)
    if out.returncode:
        raise ValueError("exit %d: %s%s" % (out.returncode, out.stdout,
                                            out.stderr))
    files.append(out.stdout)
    return {n: elements(path) for n, path in outputs.items()}


def compare(cetane, path, flags, name, sizes, ulp, tame=(), function=None,
            options=(), flat=(), values=random_data):
    """One program at one group of sizes; the complaint, or None. values(p,
    count, tame) gives the elements of a parameter.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = resolve_types(preprocess(path, flags))
        kind, name, text = find_function(source, name)
        known = structures.read(source)
        params, members = [], []
        for part in split(text):
            listed, before = structures.flatten([part], known, flat)[:2]
            params += [Parameter(p, known) for p in listed]
            members += re.findall(r"(\w+(?:\.\w+)+) =", before)
        members = {m.replace(".", "_"): m for m in members}
        for p in params:
            if p.name in flat:
                p.dims = [flat[p.name]] + (p.dims or [])[1:]
            p.dims = p.dims and [re.sub(r"(\w)\.(\w)", r"\1_\2", d)
                                 for d in p.dims]
        data, shapes, args, defines = {}, {}, [], []
        for p in params:
            if p.dims is None and not p.pointer and p.name in sizes:
                args.append(TYPES[p.type][1](sizes[p.name]))
                defines += ["-D", "%s=%d" % (members.get(p.name, p.name),
                                             sizes[p.name])]
                continue
            shapes[p.name] = p.shape(sizes) if p.dims else []
            count = 1
            for n in shapes[p.name]:
                count *= n
            side = shapes[p.name][0] if p.name in tame else 0
            data[p.name] = values(p, count, side)
        entry = build(path, flags, kind, name, text, folder, known, flat, source)
        common = [path] + flags + list(function or ()) + defines
        got = run_cetane(
            [cetane, "run"] + common + STRICT +
            list(options), params, data, shapes, folder,
            [cetane, "check"] + common, [])
        buffers, args = {}, []
        for p in params:
            if p.name in sizes and p.dims is None:
                args.append(TYPES[p.type][1](sizes[p.name]))
            elif p.dims is None:
                args.append(TYPES[p.type][1](data[p.name][0]))
            else:
                buffers[p.name] = array.array(data[p.name].typecode,
                                              data[p.name])
                raw = (ctypes.c_char * max(1, len(
                    buffers[p.name].tobytes()))).from_buffer_copy(
                        buffers[p.name].tobytes() or b"\0")
                buffers[p.name] = (raw, data[p.name].typecode)
                args.append(raw)
        entry.restype = TYPES[kind][1] if kind in TYPES else None
        result = entry(*args)
        if kind in TYPES:
            want = array.array(TYPES[kind][0], [result])
            have = array.array(TYPES[kind][0], got["result"])
            if not close(have, want, TYPES[kind][0], ulp):
                return "result is %s, not %s" % (have[0], want[0])
        for out, content in got.items():
            if out not in buffers:
                continue
            raw, code = buffers[out]
            have, want = array.array(code, content), array.array(code)
            want.frombytes(raw.raw[:len(content)])
            if not close(have, want, code, ulp):
                bad = next(i for i in range(len(have))
                           if repr(have[i]) != repr(want[i]))
                return "%s[%d] is %r, not %r" % (out, bad, have[bad],
                                                 want[bad])
        return None


class Head:
    """What the first line of a file says: see above."""

    def __init__(self, text):
        def word(name):
            m = re.search(name + r": (\S+)", text)
            return m.group(1) if m else None

        groups = re.search(r"sizes: ([^:]*?)(\s+\w+:|$)", text).group(1)
        self.groups = [re.findall(r"\w+=\d+", g) for g in groups.split(";")]
        self.ulp = int(word("ulp") or 0)
        self.tame = (word("tame"),)
        self.flat = dict(re.findall(r"(\w+)=([^,]+)", word("flat") or ""))
        args = re.search(r"args: (.*)", text)
        self.flags = args.group(1).split() if args else []


def read_head(path):
    with open(path) as f:
        return Head(f.readline().strip())


def compare_head(cetane, path, head, group, options):
    """compare() of one group of sizes, as the head of the file says."""
    sizes = {k: int(v) for k, v in (size.split("=") for size in group)}
    name = os.path.basename(path)[:-2]
    return compare(cetane, path, head.flags, name, sizes, head.ulp, head.tame,
                   options=options, flat=head.flat)


def swap_types(path, folder):
    """The path of a copy with float for double and the reverse, or None."""
    with open(path) as f:
        text = f.read()
    other = {"float": "double", "double": "float"}
    swapped = re.sub(r"\b(float|double)\b", lambda m: other[m.group()], text)
    swapped = re.sub(r"\b(exp|tanh|log|pow|sqrt|fabs|floor|ceil|trunc|fmin|"
                     r"fmax)(f?)\(", lambda m: m.group(1) + (
                         "(" if m.group(2) else "f("), swapped)
    if swapped == text:
        return None
    path = os.path.join(folder, os.path.basename(path))
    with open(path, "w") as f:
        f.write(swapped)
    return path


def main():
    with tempfile.TemporaryDirectory() as scratch:
        return run_files(scratch)


def cases(folder, names, scratch):
    """Path, head and group of sizes of each run."""
    for file in names:
        path = os.path.join(folder, file)
        if "--swap" in sys.argv:
            path = swap_types(path, scratch)
        if not path:
            continue
        head = read_head(path)
        for group in choose(file, head.groups, sys.argv):
            yield path, head, group


def orders(group):
    """In how many orders of blocks and threads a program runs at these sizes."""
    points = math.prod(int(size.split("=")[1]) for size in group)
    return 16 if points <= 100000 or part.is_whole() else 3


def complaint(cetane, case):
    """What is wrong with one run, or None."""
    path, head, group = case
    try:
        return compare_head(cetane, path, head, group, [
            "--sanitize=all", "--host-orders=%d" % orders(group)])
    except (ValueError, subprocess.CalledProcessError) as e:
        return str(e)


def run_files(scratch):
    words = [a for a in sys.argv[1:] if not a.startswith("--")]
    cetane, folder = words[:2]
    names = words[2:] or sorted(
        n for n in os.listdir(folder) if n.endswith(".c"))
    failed = n = 0
    todo = list(cases(folder, part.share(names, sys.argv), scratch))
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        errors = pool.map(lambda case: complaint(cetane, case), todo)
        for (path, _, group), error in zip(todo, errors):
            n += 1
            if error is not None:
                failed += 1
                print("%s %s: %s" % (os.path.basename(path), " ".join(group),
                                     error))
                part.say_failed(os.path.basename(path))
    print("%d runs, %d failed" % (n, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
