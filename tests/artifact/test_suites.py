"""No kernel of what cetane bench measures has a stack, on which spilled
registers would lie. Without CETANE_TEST_SUITES=1, which takes all rows of all
suites and 100 random products more, of each third form one row is compiled.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "tools"))
import command  # noqa: E402

ALL = os.environ.get("CETANE_TEST_SUITES")


def cetane(*args):
    p = subprocess.run([command.CETANE, *args], capture_output=True,
                       text=True, errors="replace")
    assert p.returncode == 0, f"{args}: {p.stderr}"
    return p.stdout


def forms():
    """SUITE/FORM -> its sizes."""
    found = {}
    for line in cetane("bench", "--suite=all", "--list").splitlines():
        form, size = line.split()[:2]
        found.setdefault(form, []).append(size)
    return found


def kernels(folder):
    """Of all artifacts in a folder: [artifact, kernel, bytes of stack]."""
    found = []
    for name in sorted(os.listdir(folder)):
        text = cetane("inspect", os.path.join(folder, name))
        said = re.findall(r"(?m)^ +kernel (\S+): \d+ registers, "
                          r"(\d+) bytes of stack", text)
        assert said, f"{name} has no kernels: {text}"
        found += [(name, kernel, int(stack)) for kernel, stack in said]
    return found


@unittest.skipUnless(command.PTXAS, "no ptxas")
class Suites(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def compile(self, suite, *more):
        cetane("bench", "--suite=" + suite, *more, "--compile-only",
               "--artifacts=" + self.folder, "--arch=sm_90a")

    def check(self, least):
        found = kernels(self.folder)
        self.assertGreaterEqual(len({k[0] for k in found}), least)
        self.assertEqual([k for k in found if k[2]], [])

    def test_forms(self):
        """There are all suites, and their number does not shrink unseen."""
        self.assertGreaterEqual(len({f.split("/")[0] for f in forms()}), 10)
        self.assertGreater(len(forms()), 30)

    @unittest.skipIf(ALL, "all of them are compiled")
    def test_sample(self):
        chosen = sorted(forms().items())[::3]
        for form, sizes in chosen:
            path = os.path.join(self.folder, "sizes")
            with open(path, "w") as f:
                f.write(sizes[len(sizes) // 2].replace("x", " ") + "\n")
            self.compile(form, "--sizes=" + path)
            os.remove(path)
        self.check(len(chosen))

    @unittest.skipUnless(ALL, "CETANE_TEST_SUITES=1 asks for it")
    def test_all(self):
        self.compile("all")
        self.compile("gemm/nn", "--sizes=random:1")
        self.check(sum(len(s) for f, s in forms().items()
                       if not f.endswith("-warm")))


if __name__ == "__main__":
    unittest.main()
