"""Kinds of programs that show that a sentence is true.

Each function below gives what runs one program: called with a Bench, it raises
Wrong where the command does something else than the sentence says.
"""
import math
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "nest"))
import against_cc  # noqa: E402
import npy  # noqa: E402

INPUT = r"(?m)^inputs?\b.*|(?:^|\n)\d+ inputs?:(.*)"


class Wrong(Exception):
    pass


class Bench:
    """Where programs run: the command and a folder of their own."""

    def __init__(self, cetane, folder):
        self.cetane, self.folder, self.count = cetane, folder, 0
        self.environment = dict(os.environ)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        data = text if isinstance(text, bytes) else text.encode()
        with open(self.path(name), "wb") as f:
            f.write(data)

    def allow(self, name):
        """The file may be executed."""
        os.chmod(self.path(name), 0o755)

    def run(self, *args):
        self.count += 1
        return subprocess.run([self.cetane, *args], text=True,
                              cwd=self.folder, capture_output=True,
                              errors="replace", env=self.environment)

    def need(self, *args):
        out = self.run(*args)
        if out.returncode:
            raise Wrong("cetane %s: exit %d\n%s" % (
                " ".join(args), out.returncode, out.stderr[:2000]))
        return out


# -------------------------------------------------------------------- arrays

def shape_of(value):
    """The extents of nested lists; none of a number."""
    shape = []
    while isinstance(value, list):
        shape.append(len(value))
        value = value[0] if value else None
    return shape


def flat(value):
    if not isinstance(value, list):
        return [value]
    return [x for part in value for x in flat(part)]


def input_types(checked):
    """Name -> type of each input that "check" prints."""
    found = dict((n, t) for t, n in re.findall(
        r"(?m)^in(?:put|out) +(\S+) (\w+)", checked))
    matrix = re.search(r"stored as (\w+)", checked)
    for line in re.findall(r"(?m)^\d+ inputs?:(.*)$", checked):
        found.update((n, t) for t, n in re.findall(r"(\w+) (\w+)(?=\[| |$)",
                                                   line))
        for name in re.findall(r"(?<!\w )\b(\w+)\[", line):
            found.setdefault(name, matrix[1] if matrix else "f32")
    return found


def alike(have, want, near):
    if isinstance(want, float) and math.isnan(want):
        return have != have
    return have == want or abs(have - want) <= near * abs(want)


# ------------------------------------------------------------------ programs

def gives(text, want, sizes=None, inputs=None, options=(), near=0,
          suffix=".dsl", how=()):
    """The program runs with these sizes and inputs, and its outputs are what
    "want" says: numbers or nested lists, by name. "how" has options of "run"
    alone.
    """
    def program(bench):
        name = "p" + suffix
        bench.write(name, text)
        define = ["-D%s=%d" % x for x in (sizes or {}).items()]
        types = input_types(bench.need("check", name, *define,
                                       *options).stdout)
        files = ["--sanitize=all", *how]
        for key, value in (inputs or {}).items():
            npy.write(bench.path(key + ".npy"), types[key],
                      shape_of(value), flat(value))
            files.append("--input=%s=%s.npy" % (key, key))
        files += ["--output=%s=out_%s.npy" % (key, key) for key in want]
        bench.need("run", name, *define, *options, *files)
        for key, value in want.items():
            shape, have = npy.read(bench.path("out_%s.npy" % key))
            if shape != shape_of(value) or not all(
                    alike(a, b, near) for a, b in zip(have, flat(value))):
                raise Wrong("%s is %s %s, not %s" % (key, shape, have, value))
    return program


def refuses(text, code, *words, suffix=".dsl", verb="check", options=(),
            exit_code=1):
    """The program is an error of this number, at "line:column" if "code" has
    that behind the number, and the message has the words.
    """
    def program(bench):
        name = "p" + suffix
        bench.write(name, text)
        out = bench.run(verb, name, *options)
        number, _, place = code.partition(" ")
        if out.returncode != exit_code or not re.search(
                r"%s: error\[%s\]" % (":" + place if place else "",
                                      number), out.stderr):
            raise Wrong("exit %d, not %s\n%s" % (out.returncode, code,
                                                 out.stderr))
        for word in words:
            if word not in out.stderr:
                raise Wrong("%r is not in\n%s" % (word, out.stderr))
    return program


def check_words(said, words, lacks):
    for word in words:
        if word not in said:
            raise Wrong("%r is not in\n%s" % (word, said))
    for word in lacks:
        if word in said:
            raise Wrong("%r is in\n%s" % (word, said))


def says(text, *words, suffix=".dsl", verb="check", options=(), lacks=()):
    """The command succeeds, and prints the words, and none of "lacks"."""
    def program(bench):
        name = "p" + suffix
        bench.write(name, text)
        out = bench.need(verb, name, *options)
        said = out.stdout + out.stderr
        check_words(said, words, lacks)
    return program


def makes(text, kind, *words, suffix=".dsl", options=(), lacks=()):
    """says, of the text of a stage."""
    return says(text, *words, suffix=suffix, verb="build", lacks=lacks,
                options=["--emit=" + kind, "-o", "-", *options])


def same_kernels(text, options, other, others, suffix=".dsl"):
    """Two programs have kernels of the same grids, blocks and loops."""
    def program(bench):
        said = []
        for part, more in (text, options), (other, others):
            bench.write("p" + suffix, part)
            out = bench.need("inspect", "p" + suffix, *more).stdout
            said.append([line.split() for line in out.splitlines()
                         if line.split()[:1] in (["kernel"], ["grid"],
                                                 ["block"], ["tile"])])
        if said[0] != said[1] or not said[0]:
            raise Wrong("%s, not %s" % tuple(said))
    return program


def header(text, *words, suffix=".dsl", options=(), lacks=()):
    """says, of the header of an object."""
    def program(bench):
        bench.write("p" + suffix, text)
        bench.need("build", "p" + suffix, "--emit=object", "--arch=sm_80",
                   *options)
        names = [n for n in os.listdir(bench.folder) if n.endswith(".h")]
        with open(bench.path(names[0])) as f:
            said = f.read()
        check_words(said, words, lacks)
    return program


def like_c(text, *groups, options=(), function=None, flat=None, ulp=0):
    """The function in C gives what the system's compiler makes of it, bit for
    bit, for each group of sizes; "flat" has the numbers of elements behind
    pointers. "options" are of Cetane alone, or -D of both.
    """
    def program(bench):
        bench.write("p.c", text)
        flags = [o for o in options if o.startswith("-D")]
        more = [o for o in options if not o.startswith("-D")]
        for sizes in groups or ({"n": 7},):
            bench.count += 2
            said = against_cc.compare(
                bench.cetane, bench.path("p.c"), flags, function, sizes, ulp,
                function=more, options=["--sanitize=all"], flat=flat or {})
            if said:
                raise Wrong("%s: %s" % (sizes, said))
    return program


def body(text, *groups, ahead="", options=(), **more):
    """like_c, of a function with this body and some parameters."""
    return like_c(ahead + "\nvoid f(int n, int m, int a[n], int b[n],"
                  "double x[n], double y[n]) {\n" + text + "\n}\n",
                  *(groups or ({"n": 9, "m": 3},)), function="f",
                  options=["--function=f", *options], **more)


def body_refused(text, code, *words, ahead="", options=()):
    """refuses, of such a function; the place is in line 3 and so on."""
    return refuses(ahead + "\nvoid f(int n, int m, int a[n], int b[n],"
                   "double x[n], double y[n]) {\n" + text + "\n}\n", code,
                   *words, suffix=".c", options=["--function=f", *options])


def all_of(*programs):
    """Several, of which the last need what the first have written."""
    def program(bench):
        for each in programs:
            each(bench)
    return program
