"""What the tests have in common that let calls of the command fail by shim.c:
commands with outputs, and what may have become of these.
"""
import os
import signal
import subprocess
import unittest

import command

SHIM = os.environ.get("CETANE_SHIM", "build/tests/tools/libcommand_shim.so")

DAG = ["build", "scale.dsl", "-DN=32", "--emit=dag,poly", "-o", "x"]
OBJECT = ["build", "scale.dsl", "--emit=object", "--arch=sm_80", "-o", "x.o"]
STDOUT = ["build", "scale.dsl", "--emit=ptx", "-o", "-"]
RUN = ["run", "scale.dsl", "-DN=5", "-oY=x.npy", "--seed=1"]


@unittest.skipIf(command.SANITIZED, "sanitizers go without a preload")
class Case(command.Case):
    def setUp(self):
        super().setUp()
        self.inputs = self.files()
        self.reference = {}

    def outputs(self):
        return {f: self.read(f) for f in self.files()
                if f.startswith("x") and f not in self.inputs}

    def hidden(self):
        return {f: self.read(f) for f in self.files() if f.startswith(".")}

    def good(self, args):
        """The outputs as they must be."""
        key = " ".join(args)
        if key not in self.reference:
            self.clear()
            self.cetane(*args)
            self.reference[key] = self.outputs()
        return self.reference[key]

    def clear(self):
        for f in self.files():
            if f not in self.inputs:
                os.remove(self.path(f))

    def env(self, request=None, named=False, count=None):
        env = dict(os.environ, LD_PRELOAD=SHIM)
        env.pop("SHIM_NAMED", None)
        if request:
            env["SHIM"] = request
        if named:
            env["SHIM_NAMED"] = "1"
        if count:
            env["SHIM_COUNT"] = count
        return env

    def start(self, args, **more):
        """Without a limit: how often the command looks at its worker is a
        matter of time, and tests count its calls.
        """
        return subprocess.Popen(
            [command.CETANE, *args, "--time-limit=0"], cwd=self.folder.name,
            env=self.env(**more), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def counts(self, args, named=False, code=0):
        """How often each process makes each call: {(where, call): n}."""
        with self.start(args, named=named, count="counts") as p:
            _, err = p.communicate(timeout=command.PATIENCE)
        self.assertEqual(p.returncode, code, err)
        rows = [line.split() for line in self.read("counts").split(b"\n")
                if line]
        self.clear()
        return {(w.decode(), c.decode()): int(n) for w, c, n in rows}

    def damaged(self, args, request, named=False, old=b"old"):
        """Run with the fault, on top of old outputs unless that is None;
        exit code, messages.
        """
        new = self.good(args)
        self.clear()
        for name in new if old is not None else []:
            self.write(name, old)
        with self.start(args, request=request, named=named) as p:
            _, err = p.communicate(timeout=command.PATIENCE)
        return p.returncode, err.decode(errors="replace")

    def check_whole(self, args, what, old=b"old"):
        """Each output is the new one, or as it was; the number of new."""
        n, new = 0, self.good(args)
        for name, content in self.outputs().items():
            self.assertIn(name, new, what)
            if content != old:
                self.assertEqual(content, new[name], f"{what}: {name}")
                n += 1
        if old is not None:
            self.assertEqual(sorted(self.outputs()), sorted(new), what)
        return n

    def check_next(self, args):
        """A later build is not disturbed."""
        self.cetane_beside(args)
        self.assertEqual(self.outputs(), self.good(args))

    def cetane_beside(self, args):
        p = self.run_raw(*args)
        self.assertEqual(p.returncode, 0, p.stderr)


KILLED = -signal.SIGKILL
