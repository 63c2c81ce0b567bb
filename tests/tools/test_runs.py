"""inspect --json ARTIFACT: what it holds, which GPUs run it, by which drivers.

Code is read here by other means: the flags of ELF files, the first lines of PTX, the
headers of fat binaries; and who runs what follows from the rule as the manual of CUDA
has it.
"""
import json
import os
import random
import re
import shutil
import struct
import subprocess
import unittest

import command

FATBINARY = shutil.which("fatbinary", path=os.pathsep.join(
    [os.environ.get("PATH", ""), "/usr/local/cuda/bin"]))
# Compute capability -> the release of CUDA that first knew it, from 11.8 on.
KNOWN = {"7.5": 118, "8.0": 118, "8.6": 118, "8.7": 118, "8.8": 130, "8.9": 118,
         "9.0": 118, "10.0": 127, "10.3": 129, "11.0": 130, "12.0": 128,
         "12.1": 129}
PTX = {78: 118, 80: 120, 81: 121, 82: 122, 83: 123, 84: 124, 85: 125, 86: 127,
       87: 128, 88: 129, 90: 130, 91: 131}
DRIVER = {118: "520.61", 120: "525.60", 121: "530.30", 122: "535.54",
          123: "545.23", 124: "550.54", 125: "555.42", 127: "565.57",
          128: "570.26", 129: "575.51", 130: "580.65", 131: "590.44"}


def number(capability):
    major, minor = capability.split(".")
    return 10 * int(major) + int(minor)


def look_at(data):
    """(kind, capability, runs on one chip alone, least release) of a piece."""
    if data[:4] == b"\x7fELF":
        cc = struct.unpack_from("<I", data, 48)[0]
        cc = cc >> 8 & 0xff if data[8] >= 8 else cc & 0xff
        name = re.search(rb"-arch[= ]*sm_(\d+)(a?)", data)
        return "cubin", cc, bool(name and name.group(2)), 130
    version = re.search(rb"^\.version (\d)\.(\d)", data, re.M)
    target = re.search(rb"^\.target sm_(\d+)(a?)", data, re.M)
    return ("ptx", int(target.group(1)), bool(target.group(2)),
            PTX[int(version.group(1) + version.group(2))])


def entries(fat):
    """The pieces of a fat binary."""
    at, found = struct.unpack_from("<H", fat, 6)[0], []
    while at < len(fat):
        header, size = struct.unpack_from("<IQ", fat, at + 4)
        found.append(fat[at + header:at + header + size])
        at += header + size
    return found


def runs(pieces):
    """Capability -> (piece, driver), by the rule."""
    found = {}
    for name, knows in KNOWN.items():
        cc, best = number(name), None
        for i, (kind, of, alone, release) in enumerate(pieces):
            if of > cc or (alone and of != cc) or (
                    kind == "cubin" and of // 10 != cc // 10):
                continue
            rank = (kind == "cubin", of, alone)
            if best is None or rank > best[0]:
                best = rank, i, DRIVER[max(release, knows)]
        if best:
            found[name] = best[1:]
    return found


@unittest.skipUnless(command.PTXAS and FATBINARY, "no ptxas, or no fatbinary")
class Runs(command.Case):
    def facts(self, name):
        return json.loads(self.cetane("inspect", name, "--json")[0])

    def check(self, name, pieces, offset=0):
        """What is said of the file against what its pieces are."""
        facts = self.facts(name)
        part, = facts["parts"]
        want = runs(pieces)
        self.assertEqual({r["capability"]: (r["code"], r["driver"])
                          for r in part["runs_on"]
                          if r["capability"] != "later"}, want)
        later = [r["code"] for r in part["runs_on"]
                 if r["capability"] == "later"]
        newest = [i for _, i in sorted(
            (p[1], i) for i, p in enumerate(pieces)
            if p[0] == "ptx" and not p[2])][-1:]
        self.assertEqual(later, newest)
        said = self.cetane("inspect", name)[0].decode()
        for capability, (code, driver) in want.items():
            self.assertRegex(said, r"on GPUs of compute capability (?:[\d.]+, )*"
                             rf"{re.escape(capability)}(?:, [\d.]+)*(?: and "
                             rf"later)?: \w+ {code}, by driver {driver} ")
        return facts

    def test_fat(self):
        rng = random.Random(3)
        archs = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_120"]
        for _ in range(4):
            some = rng.sample(archs, rng.randint(1, 4))
            with self.subTest(some):
                self.cetane("build", "scale.dsl", "--emit=fatbin",
                            "--arch=" + ",".join(some), "-o", "x.fatbin")
                pieces = [look_at(d) for d in entries(self.read("x.fatbin"))]
                self.assertGreater(len(pieces), len(some) - 1)
                facts = self.check("x.fatbin", pieces)
                self.assertEqual(facts["kind"], "fatbin")
                self.assertEqual(
                    [(c["kind"], number(c["capability"]), c["one_chip"])
                     for c in facts["parts"][0]["code"]],
                    [p[:3] for p in pieces])

    def test_object(self):
        """The manifest says what the images are; inspect reads that off the code."""
        for some, env in (["sm_80", "sm_90a"], {}), (["sm_86"], {}), (
                ["sm_80"], {"CETANE_PTXAS": "none", "CETANE_NVJITLINK": "none"}):
            with self.subTest(some):
                self.cetane("build", "scale.dsl", "--emit=object",
                            "--arch=" + ",".join(some), env=env)
                images = json.loads(self.read("scale.json"))["images"]
                pieces = [(i["kind"], int(re.sub(r"\D", "", i["arch"])),
                           i["arch"].endswith("a"), 130 if i["kind"] == "cubin"
                           else PTX[number(i["ptx_isa"])])
                          for i in images if i["kind"] != "host"]
                facts = self.check("scale.o", pieces)
                self.assertEqual(facts["parts"][0]["program"], "scale")
                self.assertEqual(facts["parts"][0]["code"][-1],
                                 {"kind": "host"})
                for code, image in zip(facts["parts"][0]["code"], images):
                    if code["kind"] == "cubin":
                        self.assertEqual(code["sha256"], image["sha256"])
                        self.assertEqual(
                            [(k["name"], k["registers"])
                             for k in code["kernels"]],
                            [(k["name"], k["registers"])
                             for k in image["kernels"]])
                self.assertTrue(any("scale.dsl" in n for n in
                                    facts["parts"][0]["notes"]))

    def test_plain(self):
        for emit in "cubin", "ptx":
            for arch in "sm_80", "sm_90a":
                with self.subTest((emit, arch)):
                    self.cetane("build", "scale.dsl", "--emit=" + emit,
                                "--arch=" + arch, "-o", "x." + emit)
                    self.assertEqual(self.check("x." + emit, [look_at(
                        self.read("x." + emit))])["kind"], emit)

    def test_compressed(self):
        """What cannot be read is said to be unreadable, and by no driver."""
        self.cetane("build", "scale.dsl", "--arch=sm_80", "-o", "x.ptx")
        subprocess.run([FATBINARY, "--64", "--create=x.fatbin",
                        "--compress-all",
                        "--image3=kind=ptx,sm=80,file=x.ptx"], check=True,
                       cwd=self.folder.name)
        code, = self.facts("x.fatbin")["parts"][0]["code"]
        self.assertEqual((code["kind"], code["readable"]), ("ptx", False))
        self.assertTrue(all(r["driver"] is None for r in self.facts(
            "x.fatbin")["parts"][0]["runs_on"]))
        self.assertIn("compressed code", self.cetane(
            "inspect", "x.fatbin")[0].decode())

    def test_damaged(self):
        self.cetane("build", "scale.dsl", "--emit=fatbin", "-o", "x.fatbin")
        whole = self.read("x.fatbin")
        for cut in 17, 70, len(whole) // 2, len(whole) - 1:
            self.write("y.fatbin", whole[:cut])
            self.cetane("inspect", "y.fatbin", "--json", code=1, says="E710")
        self.cetane("inspect", "x.fatbin", "--resources", code=2,
                    says="parts are for sources")


if __name__ == "__main__":
    command.main()
