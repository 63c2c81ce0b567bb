"""Every program under tests/ becomes machine code for every architecture, in
one build each, and an object that needs the runtime and libc alone; and the
host device runs what is made for each of them. Without CETANE_TEST_ARCHS=1, each
forty-eighth program is built, for one architecture, another one than that before.
"""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "tools"))
import command  # noqa: E402

CORES = len(os.sched_getaffinity(0))

ARCHS = ("sm_75 sm_80 sm_86 sm_89 sm_90a sm_100 sm_103 sm_120 "
         "sm_121").split()
# Wrong on purpose, no program of one file, or for given sizes only.
SKIP = ("/reject/", "/fuzz/", "/never_runs.c", "/loop_steps.c", "/strides.dsl",
        "/counted_rows.c", "/exponents.dsl")


def programs():
    found = glob.glob(os.path.join(TESTS, "**", "*.dsl"), recursive=True)
    found += glob.glob(os.path.join(TESTS, "programs", "*.c"))
    return sorted(p for p in found if not any(s in p for s in SKIP))


def cetane(*args):
    return subprocess.run([command.CETANE, *args], capture_output=True,
                          text=True, errors="replace")


def outside(path):
    """What an object needs beside the runtime and libc."""
    names = subprocess.run(["nm", "-u", path], capture_output=True, text=True,
                           check=True).stdout.split()
    return {n for n in names if not n.startswith("cetane_")} - {
        "U", "memcpy", "memmove", "memset"}


def archs_of(path):
    """The architectures that convert numbers of all types of a program."""
    with open(path) as f:
        text = f.read()
    first = 89 if re.search(r"\bf8e", text) else \
        80 if re.search(r"\btf32\b", text) else 0
    return [a for a in ARCHS if int(re.search(r"\d+", a)[0]) >= first]


def build(path, number, folder):
    """None, or what is wrong with the object of a program."""
    archs = archs_of(path)
    if not os.environ.get("CETANE_TEST_ARCHS"):
        archs = [archs[number % len(archs)]]
    out = os.path.join(folder, re.sub(r"\W", "_", os.path.relpath(
        path, TESTS)))
    p = cetane("build", path, "--emit=object", "--name=program", "-o",
               out + ".o", "--arch=" + ",".join(archs), "--time-limit=600")
    if p.returncode:
        return f"{path}: exit {p.returncode}: {p.stderr}"
    with open(out + ".json") as f:
        images = json.load(f)["images"]
    made = [im["arch"] for im in images if im["kind"] == "cubin"]
    if made != archs:
        return f"{path}: cubins for {made}"
    foreign = outside(out + ".o")
    return f"{path}: needs {foreign}" if foreign else None


class Archs(unittest.TestCase):
    def test_programs(self):
        """There are programs, and their number does not shrink unseen."""
        self.assertGreater(len(programs()), 90)

    @unittest.skipUnless(command.PTXAS, "no ptxas")
    def test_assemble(self):
        with tempfile.TemporaryDirectory() as folder, \
                concurrent.futures.ThreadPoolExecutor(CORES) as pool:
            found = programs()
            if not os.environ.get("CETANE_TEST_ARCHS"):
                found = found[::48]
            wrong = [w for w in pool.map(
                lambda i: build(found[i], i, folder),
                range(len(found))) if w]
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_host(self):
        """The code for each target, verified on the host device."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "fig2.dsl")
            with open(path, "w") as f:
                f.write(command.FIG2)
            for arch in ARCHS:
                p = cetane("run", path, "--arch=" + arch, "--device=host",
                           "-DM=70", "-DK=33", "-DN=130", "--sanitize=all")
                self.assertEqual(p.returncode, 0, arch + p.stderr)
                self.assertIn("verified", p.stdout + p.stderr)


if __name__ == "__main__":
    unittest.main()
