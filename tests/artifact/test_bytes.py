"""Bytes out depend on bytes in: not on folder, user, time, locale, umask,
environment, speed or the order of kinds; and tell none of them.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "tools"))
import command  # noqa: E402

FATBINARY = shutil.which("fatbinary", path=os.pathsep.join(
    [os.environ.get("PATH", ""), "/usr/local/cuda/bin"]))
CLOCK = os.environ.get("CETANE_CLOCK", "build/tests/artifact/libartifact_clock.so")
NOBODY = 65534
TEXTS = ["dag", "deps", "schedule", "poly", "ast", "llvm", "llvm-opt", "ptx"]
PROGRAM = """Params M, K, N;
Matrix A(M,K);
Matrix B(K,N);
C = tanh(A * B);
D = C' + 1;
CodeGen(HALF, {D});
"""


def can_be_nobody():
    """Root can start the command as another user, who can read it."""
    if os.geteuid() != 0:
        return False
    try:
        p = subprocess.run([command.CETANE, "--version"], user=NOBODY,
                           group=NOBODY, extra_groups=[], cwd="/",
                           capture_output=True)
    except PermissionError:
        return False
    return p.returncode == 0


class Builder:
    """One way to build: a folder, a user, and all that surrounds them."""

    def __init__(self, root, folder, name, env, umask=0o22, user=None,
                 kinds=TEXTS):
        self.folder = os.path.join(root, folder)
        self.name, self.env, self.umask = name, env, umask
        self.user, self.kinds = user, kinds
        os.makedirs(os.path.join(self.folder, "temporary"))
        with open(os.path.join(self.folder, "p.dsl"), "w") as f:
            f.write(PROGRAM)
        if user is not None:
            for path in root, self.folder:
                os.chmod(path, 0o755)
            for path, _, files in os.walk(self.folder):
                for p in [path, *(os.path.join(path, f) for f in files)]:
                    os.chown(p, user, user)

    def cetane(self, *args):
        more = {}
        if self.user is not None:
            more = {"user": self.user, "group": self.user, "extra_groups": []}
        env = dict(os.environ, TMPDIR=os.path.join(self.folder, "temporary"),
                   HOME=self.folder, **self.env)
        p = subprocess.run(
            [command.CETANE, "build", self.name.format(self.folder), *args],
            cwd=self.folder, env=env, umask=self.umask, capture_output=True,
            **more)
        assert p.returncode == 0, p.stderr.decode()
        return p

    def build(self):
        """Make all artifacts."""
        self.cetane("--emit=" + ",".join(self.kinds), "-o", "p")
        if command.PTXAS:
            self.cetane("--emit=object", "--arch=sm_80,h100")
            self.cetane("--emit=cubin", "-o", "p.cubin")
        if command.PTXAS and FATBINARY:
            self.cetane("--emit=fatbin", "--arch=sm_80,h100")
        return self.read()

    def read(self):
        """Name of each artifact -> its bytes."""
        found = {}
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            if os.path.isfile(path) and name != "p.dsl":
                with open(path, "rb") as f:
                    found[name] = f.read()
        return found


class Bytes(unittest.TestCase):
    def test_same(self):
        with tempfile.TemporaryDirectory() as root:
            first = Builder(root, "one", "p.dsl",
                            {"LC_ALL": "C", "TZ": "UTC"})
            other = Builder(
                root, "another/much deeper/folder", "{}/p.dsl",
                {"LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8",
                 "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "1",
                 "MALLOC_PERTURB_": "85", "USER": "somebody"}, umask=0o77,
                user=NOBODY if can_be_nobody() else None,
                kinds=TEXTS[::-1])
            os.utime(os.path.join(other.folder, "p.dsl"), (1e9, 1e9))
            a = first.build()
            time.sleep(1.1)
            b = other.build()
            self.assertGreaterEqual(len(a), len(TEXTS))
            self.assertEqual(sorted(a), sorted(b))
            for name in a:
                self.assertTrue(a[name] == b[name], name + " differs")
                self.check_traces(name, a[name], root)

    def check_traces(self, name, data, root):
        repository = os.path.dirname(TESTS)
        traces = [root, repository, os.path.dirname(command.CETANE),
                  "/temporary", time.strftime("%Y-%m-%d"),
                  time.strftime("%b %d %Y"), time.strftime("%d %b %Y")]
        for trace in traces:
            self.assertFalse(trace.encode() in data, (name, trace))

    def test_prefix_map(self):
        """With the folder mapped, an absolute name is a name of its own."""
        with tempfile.TemporaryDirectory() as root:
            made = []
            for folder in "one", "two":
                b = Builder(root, folder, "{}/p.dsl", {})
                b.cetane("-o", "p.ptx", f"--file-prefix-map={b.folder}=src")
                with open(os.path.join(b.folder, "p.ptx"), "rb") as f:
                    made.append(f.read())
            self.assertEqual(made[0], made[1])
            self.assertIn(b'"src/p.dsl"', made[0])

    @unittest.skipIf(command.SANITIZED, "sanitizers go without a preload")
    def test_speed(self):
        """A build during which hours pass makes the same bytes, and ends."""
        with tempfile.TemporaryDirectory() as root:
            env = {"LD_PRELOAD": CLOCK}
            usual = Builder(root, "usual", "p.dsl", {})
            slow = Builder(root, "slow", "p.dsl", env)
            self.assertEqual(usual.build(), slow.build())
            for name in "lu.c", "jacobi_2d.c", "lstm.dsl":
                path = os.path.join(TESTS, "programs", name)
                for b in usual, slow:
                    b.name = path
                    b.cetane("--emit=poly,ptx", "-o", name)
            self.assertEqual(usual.read(), slow.read())
            said = slow.cetane("--emit=dag", "-o", "-", "--time-passes")
            hours = re.findall(rb"(?m)^ *(\d+)\.\d+ ms ", said.stderr)
            self.assertGreaterEqual(min(map(int, hours)), 3600000)


if __name__ == "__main__":
    unittest.main()
