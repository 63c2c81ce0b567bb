"""Programs of rows: their text, objects made of them, and calls of these.

An object is linked as a shared library beside one of the runtime, so that ctypes
loads it; on the host device it runs with arrays of NumPy, on a GPU with tensors of
PyTorch (bench.py).
"""
import ctypes
import json
import math
import os
import re
import subprocess
import sys

import backends
import table

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), "fuzz"))
import mixed_programs
import row_programs
import written

HERE = os.path.dirname(os.path.abspath(__file__))
BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2,
         "i8": 1, "bool": 1}
MATRIX = {"f16": "HALF", "bf16": "BFLOAT16", "f32": "FLOAT"}
CC = os.environ.get("CC", "cc")


def text_of(name, kind):
    """The program "name" with its elements of the type "kind"."""
    with open(os.path.join(HERE, name + ".dsl")) as f:
        text = f.read()
    return re.sub(r"\bHALF\b", MATRIX[kind],
                  re.sub(r"(?<![b\w])f16\b", kind, text))


def sizes_of(text):
    """The names of the sizes, as they are declared."""
    names = re.search(r"(?m)^[Pp]arams? (.*);", text).group(1)
    return names.split(", ")


def make_runtime(cetane, folder):
    """cetane_rt.o in "folder", from the sources that the command has."""
    os.makedirs(folder, exist_ok=True)
    subprocess.run([cetane, "build", "--emit=runtime", "-o", folder],
                   check=True)
    subprocess.run([CC, "-O2", "-w", "-fPIC", "-c", "-o",
                    os.path.join(folder, "cetane_rt.o"),
                    os.path.join(folder, "cetane_rt.c")], check=True)


def make(cetane, folder, case, options=()):
    """The shared library of "case", with the runtime. Returns what the command
    said if it refuses, else None.
    """
    base = os.path.join(folder, case.stem)
    with open(base + ".dsl", "w") as f:
        f.write(case.text)
    said = subprocess.run(
        [cetane, "build", base + ".dsl", "--emit=object", "-o", base + ".o",
         *options, *case.defines()], capture_output=True, text=True)
    if said.returncode:
        return said.stderr or "exit %d\n" % said.returncode
    subprocess.run([CC, "-shared", "-o", base + ".so", base + ".o",
                    os.path.join(folder, "cetane_rt.o"), "-lpthread", "-ldl",
                    "-lm"], check=True)
    os.remove(base + ".o")
    return None


class Case:
    """A row: a program of the table in a type at sizes. Its errors may be "slack"
    times what is allowed; if it "is tracked", wanted.py tells what rounding does.
    """
    slack, is_tracked = 1, False

    def __init__(self, name, kind, values):
        self.name, self.kind, self.values = name, kind, values
        self.row = table.ROWS[name]
        self.text = text_of(name, kind)
        self.sizes = dict(zip(sizes_of(self.text), values))
        self.stem = "_".join(["row", name, kind, *map(str, values)])

    def __str__(self):
        return " ".join([self.name, self.kind, *self.defines()])

    def defines(self):
        return ["-D%s=%d" % item for item in self.sizes.items()]

    def reference(self, np, values):
        """The outputs, a list, for inputs in f64."""
        more = self.values if self.row.sized else []
        outs = self.row.reference(np, *values, *more)
        return list(outs) if isinstance(outs, tuple) else [outs]


class Random(Case):
    """A random program of tests/fuzz, small or of about "points" points."""
    family, maker, is_tracked = "random", row_programs, True

    def __init__(self, seed, points=None):
        self.program = self.maker.make(seed, points)
        self.name, self.kind = "%s-%d" % (self.family, seed), self.program.kind()
        self.text, self.sizes = self.program.text(), self.program.sizes
        self.values = list(self.sizes.values())
        self.stem = "row_%s_%d" % (self.family, seed)
        self.row = table.Row(self.family, [], [], None, [self.twin], {}, None,
                             False)
        self.flat = written.flat(self.reference, self.program.inputs_read())

    def reference(self, np, values):
        return self.program.reference(
            np, dict(zip(self.program.inputs_read(), values)))

    def twin(self, torch, *inputs):
        """The program in PyTorch, computed in f32."""
        t = backends.Torch(torch, inputs[0].device)
        outs = self.flat(t, *[x.float() for x in inputs])
        return tuple(t.rounded(x.contiguous(), self.kind) for x in outs)


class Mixed(Random):
    """Such a program of many statements, products among them. Errors of statements
    may add up.
    """
    family, maker, is_tracked = "mixed", mixed_programs, False

    def __init__(self, seed, points=None):
        super().__init__(seed, points)
        self.slack = len(self.program.tree)


class Array:
    def __init__(self, name, kind, is_input, extents, sizes):
        self.name, self.type, self.is_input = name, kind, is_input
        self.shape = [eval(e.replace("/", "//"), {}, dict(sizes))
                      for e in extents]
        self.bytes = math.prod(self.shape) * BYTES[kind]


def arrays_of(said, sizes):
    """The arrays of a program of which "cetane check" says that."""
    stored = re.search(r"stored as (\w+),", said)
    arrays = []
    for role, text in re.findall(r"(?m)^\d+ (input|output)s?: (.*)$", said):
        for kind, name, extents in re.findall(r"(?:(\w+) )?(\w+)\[(.*?)\]",
                                              text):
            arrays.append(Array(name, kind or stored.group(1),
                                role == "input",
                                re.findall(r"[^,]+", extents), sizes))
    return arrays


class Program:
    """What make() has made, loaded."""

    def __init__(self, folder, case):
        stem, sizes = case.stem, case.sizes
        base = os.path.join(os.path.abspath(folder), stem)
        with open(base + ".json") as f:
            self.manifest = json.load(f)
        self.stem = stem
        self.library = ctypes.CDLL(base + ".so")
        self.arrays = [Array(a["name"], a["type"], a["role"] == "input",
                             [str(e) for e in a["extents"]], sizes)
                       for a in self.manifest["arrays"]]
        self.inputs = [a for a in self.arrays if a.is_input]
        self.outputs = [a for a in self.arrays if not a.is_input]
        self.sizes = [ctypes.c_int64(sizes[s["name"]])
                      for s in self.manifest["sizes"]]
        self.function = getattr(self.library, stem)
        measure = getattr(self.library, stem + "_workspace_size")
        measure.restype = ctypes.c_int64
        self.workspace = measure(*self.sizes)
        self.image = self.manifest["images"][0]

    def load(self):
        self.judge(getattr(self.library, self.stem + "_load")())

    def unload(self):
        getattr(self.library, self.stem + "_unload")()

    def judge(self, status):
        if status:
            said = self.library.cetane_last_error
            said.restype = ctypes.c_char_p
            raise RuntimeError("%s: status %d: %s" % (
                self.stem, status, said().decode()))

    def call(self, stream, addresses, workspace):
        """"addresses" are of the arrays, inputs first, as is the workspace."""
        self.judge(self.function(
            ctypes.c_void_p(stream), *self.sizes,
            *[ctypes.c_void_p(a) for a in addresses],
            ctypes.c_void_p(workspace)))


class Host:
    """The host device, for one program."""

    def __init__(self, program):
        self.rt, self.program = program.library, program
        self.device = ctypes.c_void_p()
        self.do("device_open", b"host", ctypes.byref(self.device))
        self.do("device_use", self.device)

    def do(self, name, *words):
        self.program.judge(getattr(self.rt, "cetane_" + name)(*words))

    def close(self):
        self.do("device_use", None)
        self.rt.cetane_device_close(self.device)

    def allocate(self, size):
        at = ctypes.c_uint64()
        self.do("malloc", self.device, ctypes.c_size_t(size),
                ctypes.byref(at))
        return at.value

    def run(self, inputs):
        """The bytes of the outputs for those of the inputs."""
        p = self.program
        at = [self.allocate(a.bytes) for a in p.arrays]
        work = self.allocate(p.workspace)
        for address, data in zip(at, inputs):
            self.do("copy_to_device", self.device, ctypes.c_uint64(address),
                    data, ctypes.c_size_t(len(data)), None)
        p.call(None, at, work)
        outs = []
        for a, address in zip(p.arrays, at):
            if not a.is_input:
                outs.append(ctypes.create_string_buffer(a.bytes))
                self.do("copy_from_device", self.device, outs[-1],
                        ctypes.c_uint64(address), ctypes.c_size_t(a.bytes),
                        None)
        self.do("device_synchronize", self.device)
        for address in at + [work]:
            self.do("free", self.device, ctypes.c_uint64(address))
        return [out.raw for out in outs]
