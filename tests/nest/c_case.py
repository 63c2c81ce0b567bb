"""What tests of C files share: a folder, and the command in it."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

CETANE = os.path.abspath(sys.argv.pop(1))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        return path

    def run_it(self, *args, env=None):
        return subprocess.run([CETANE] + list(args), text=True,
                              capture_output=True, cwd=self.folder.name,
                              env=dict(os.environ, **(env or {})))

    def check(self, text, *args, name="f.c"):
        out = self.run_it("check", self.write(name, text), *args)
        self.assertEqual(out.returncode, 0, out.stderr)
        return out.stdout

    def roles(self, text, *args):
        return dict((name, role) for role, name in re.findall(
            r"(?m)^(\w+) +(?:[a-z]+\d+ |bool )?(\w+)",
            self.check(text, *args)))

    def refused(self, text, *parts):
        path = self.write("f.c", text)
        out = self.run_it("build", path, "--emit=object", "--drop-in", "-o",
                          os.path.join(self.folder.name, "f.o"))
        self.assertEqual(out.returncode, 1, out.stderr)
        for part in parts:
            self.assertIn(part, out.stderr)
