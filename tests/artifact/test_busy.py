"""What is built beside 16 busy loops, at the lowest priority, has the bytes and the
messages of what is built when they do not run.
"""
import contextlib
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_archs  # noqa: E402
import command  # noqa: E402

LOOPS, LOWEST = 16, 19
LOOP = "while kill -0 $PPID; do :; done 2>/dev/null"
# Beside every tenth program; these take the longest to compile.
LONGEST = ["lattice.c", "life_periodic.c", "many_steps.c"]


@contextlib.contextmanager
def busy():
    """The loops and the command have the same priority, so that it goes on."""
    with contextlib.ExitStack() as stack:
        for _ in range(LOOPS):
            p = stack.enter_context(subprocess.Popen(
                ["/bin/sh", "-c", LOOP], preexec_fn=lambda: os.nice(LOWEST)))
            stack.callback(p.kill)
        yield


class Busy(unittest.TestCase):
    def build(self, path, folder, **more):
        """Exit code, messages, bytes."""
        p = subprocess.run(
            [command.CETANE, "build", path, "--emit=poly,ptx", "-o", "x"],
            cwd=folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
            **more)
        made = []
        for kind in "x.poly", "x.ptx":
            with contextlib.suppress(FileNotFoundError), \
                    open(os.path.join(folder, kind), "rb") as f:
                made.append(f.read())
                os.remove(f.name)
        return p.returncode, p.stderr, made

    def test_same(self):
        found = test_archs.programs()
        some = found[::10] + [p for p in found
                              if os.path.basename(p) in LONGEST]
        with tempfile.TemporaryDirectory() as folder:
            first = [self.build(p, folder) for p in some]
            with busy():
                then = [self.build(p, folder,
                                   preexec_fn=lambda: os.nice(LOWEST))
                        for p in some]
        for path, a, b in zip(some, first, then):
            self.assertEqual(a[0], 0, a[1])
            self.assertEqual(a[:2], b[:2], path)
            self.assertTrue(a[2] == b[2], path)


if __name__ == "__main__":
    unittest.main()
