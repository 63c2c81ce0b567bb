"""Run the command "cetane" in a folder of its own.

$CETANE is the command's path. Every case starts in an empty folder, and no
case may leave a temporary file there.
"""
import os
import shutil
import subprocess
import tempfile
import time
import unittest

CETANE = os.path.abspath(os.environ.get("CETANE", "build/cetane"))
VERSION = subprocess.run([CETANE, "--version"], capture_output=True,
                         text=True).stdout.split()[1]
PTXAS = shutil.which("ptxas", path=os.pathsep.join(
    [os.environ.get("PATH", ""), "/usr/local/cuda/bin"]))
SANITIZED = bool(os.environ.get("CETANE_SANITIZE"))
# Seconds after which a command hangs, on however busy a machine.
PATIENCE = 1000000

FIG2 = """Params M, K, N;
Matrix A(M,K);
Matrix B(K,N);
Matrix C(M,N);
D = A * B;
E = D + C;
CodeGen(FLOAT, {E});
"""

SCALE = """Params N;
Matrix X(N,N);
Y = X * 0.5;
CodeGen(FLOAT, {Y});
"""


def state_of(pid):
    """The parent and the state of a process; None if it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            words = f.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(words[1]), words[0]


def wait_for_child(parent, states):
    """The child of the process, as soon as it is in one of the states."""
    while (state_of(parent) or (0, "Z"))[1] != "Z":
        for name in os.listdir("/proc"):
            found = state_of(name) if name.isdigit() else None
            if found and found[0] == parent and found[1] in states:
                return int(name)
        time.sleep(.01)
    raise AssertionError(f"process {parent} has ended without such a child")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("fig2.dsl", FIG2)
        self.write("scale.dsl", SCALE)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, content):
        mode = "wb" if isinstance(content, bytes) else "w"
        with open(self.path(name), mode) as f:
            f.write(content)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def files(self):
        return sorted(os.listdir(self.folder.name))

    def run_raw(self, *args, stdin=b"", env=None, **more):
        full = dict(os.environ, **(env or {}))
        return subprocess.run([CETANE, *args], input=stdin,
                              capture_output=True, cwd=self.folder.name,
                              env=full, timeout=PATIENCE, **more)

    def cetane(self, *args, code=0, stdin=b"", env=None, says=None):
        """Run, check the exit code and a part of the messages; the outputs.

        A worker's leftovers (temporary files) are an error everywhere.
        """
        p = self.run_raw(*args, stdin=stdin, env=env)
        out, err = p.stdout, p.stderr.decode(errors="replace")
        self.assertEqual(p.returncode, code, f"{args}: {err}")
        if says:
            self.assertIn(says, err)
        if code == 0:
            self.assertNotIn("error", err)
        self.assertNotIn("isl_ctx not freed", err)
        hidden = [f for f in self.files() if f.startswith(".")]
        self.assertEqual(hidden, [])
        return out, err


def texts_inside(case, svg, character=6.6):
    """Each text of a plot is inside of it: as long as it says, or as its
    characters take.
    """
    width, height = float(svg.get("width")), float(svg.get("height"))
    texts = svg.findall("{http://www.w3.org/2000/svg}text")
    case.assertTrue(texts)
    for text in texts:
        length = float(text.get("textLength") or character * len(text.text))
        x, y = float(text.get("x")), float(text.get("y"))
        left = x - {"start": 0, "middle": length / 2,
                    "end": length}[text.get("text-anchor")]
        case.assertGreaterEqual(left, 0, text.text)
        case.assertLessEqual(left + length, width, text.text)
        case.assertGreaterEqual(y, 11, text.text)
        case.assertLessEqual(y, height, text.text)


main = unittest.main
