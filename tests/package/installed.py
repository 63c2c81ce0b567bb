"""An installed tree that was moved after it was made, for a class of tests."""
import os
import shutil
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ["CETANE_BUILD"]
CMAKE = os.environ["CMAKE"]
CC = os.environ["CETANE_CC"]
TOOLS = os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/cuda/bin"])
needs_ptxas = unittest.skipUnless(shutil.which("ptxas", path=TOOLS), "no ptxas")


def run(*words, **more):
    """Standard output of a command that must succeed."""
    p = subprocess.run(words, capture_output=True, text=True, **more)
    if p.returncode:
        raise AssertionError(f"{words}: {p.returncode}\n{p.stdout}{p.stderr}")
    return p.stdout


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.prefix = os.path.join(cls.folder.name, "moved")
        first = os.path.join(cls.folder.name, "prefix")
        run(CMAKE, "--install", BUILD, "--prefix", first)
        os.rename(first, cls.prefix)
        cls.command = os.path.join(cls.prefix, "bin", "cetane")
        cls.lib = os.path.dirname(cls.find("libcetane_rt.so"))
        cls.env = dict(os.environ, PATH=TOOLS,
                       PKG_CONFIG_PATH=os.path.join(cls.lib, "pkgconfig"))
        cls.env.pop("CETANE_WORKER", None)

    @classmethod
    def find(cls, name):
        """The path of the installed file."""
        for folder, _, files in os.walk(cls.prefix):
            if name in files:
                return os.path.join(folder, name)
        raise AssertionError(f"{name} is not installed")
