"""inspect: what an artifact holds."""
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import unittest

import command
from inspected import CHAIN


@unittest.skipUnless(command.PTXAS, "no ptxas")
class Artifact(command.Case):
    def inspect(self, name, **more):
        return self.cetane("inspect", name, **more)[0].decode()

    def build(self, *args):
        return self.cetane("build", *args)

    def hash(self, name):
        return hashlib.sha256(self.read(name)).hexdigest()

    def test_object(self):
        self.write("chain.dsl", CHAIN)
        self.build("chain.dsl", "--emit=object", "--arch=h100,sm_80",
                   "-DN=64")
        facts = json.loads(self.read("chain.json"))
        text = self.inspect("chain.o")
        self.assertRegex(text, r"\Aprogram chain in chain.o: ABI \d+, 4 "
                         rf"images, {facts['container']['bytes']} bytes, "
                         rf"sha256 {facts['container']['sha256']}\n")
        first = facts["images"][3]["kernels"][0]
        grid, shared = first["tiles"][0], first["dynamic_shared_bytes"]
        block = "%d x %d" % tuple(first["block"][:2])
        for line in (
                f"  by cetane {facts['made_by']['cetane']}, "
                f"LLVM {facts['made_by']['llvm']}, "
                f"isl {facts['made_by']['isl']}, "
                f"ptxas {facts['made_by']['ptxas']}",
                f"  from chain.dsl, sha256 {facts['source']['sha256']}",
                "  chain(stream, M, K, N, W, X, Y, Z, workspace)",
                "    input  W f32[64][K]", "    output Z f32[M][K]",
                "    N is fixed: 64",
                "  image 3: functions for the host device, "
                f"{facts['images'][3]['triple']}",
                f"    launch chain_T: grid 1 x {grid}, block {block}, "
                f"{shared} bytes of dynamic shared memory",
                "    spills of chain_T: 0 bytes stored, 0 bytes loaded"):
            self.assertIn(line + "\n", text)
        for i, image in enumerate(facts["images"][:3]):
            name = {"cubin": "cubin " + image["arch"], "ptx":
                    f"PTX {image['ptx_isa']} for {image['arch']} and later"}
            self.assertIn(f"  image {i}: {name[image['kind']]}, "
                          f"{image['bytes']} bytes, sha256 "
                          f"{image['sha256']}\n", text)
            for kernel in image["kernels"]:
                if "registers" in kernel:
                    self.assertIn(
                        f"    kernel {kernel['name']}: "
                        f"{kernel['registers']} registers, "
                        f"{kernel['stack_bytes']} bytes of stack, ", text)
        self.assertTrue(text.endswith("else the launch fails\n"))
        self.assertEqual(json.loads(self.cetane(
            "inspect", "chain.o", "--json")[0])["kind"], "object")
        self.cetane("inspect", "chain.o", "--schedule", code=2)

    def test_program(self):
        """Both objects of a file are found, and a stripped note is missed."""
        self.build("fig2.dsl", "--emit=object")
        self.build("scale.dsl", "--emit=object")
        self.write("both", self.read("fig2.o") + self.read("scale.o"))
        text = self.inspect("both")
        self.assertEqual(re.findall(r"(?m)^program (\w+) ", text),
                         ["fig2", "scale"])
        self.assertEqual(re.findall(r"(?m)^  from (\S+),", text),
                         ["fig2.dsl", "scale.dsl"])
        if not shutil.which("objcopy"):
            return
        subprocess.run(["objcopy", "-R", ".comment", self.path("fig2.o")],
                       check=True)
        text = self.inspect("fig2.o")
        self.assertIn("program fig2 in", text)
        self.assertNotIn("by cetane", text)

    def test_cubin(self):
        for arch in "sm_75", "sm_89", "sm_90a", "sm_103", "sm_120a":
            _, err = self.build("fig2.dsl", "--emit=cubin", "--arch=" + arch,
                                "-o", "c")
            used = re.search(r"(\d+) registers, (\d+) bytes stack", err)
            text = self.inspect("c")
            self.assertTrue(text.startswith(
                f"cubin {arch}, {os.path.getsize(self.path('c'))} bytes, "
                f"sha256 {self.hash('c')}\n    needs driver "), text)
            self.assertIn(f"    kernel fig2_E: {used[1]} registers, "
                          f"{used[2]} bytes of stack, ", text)

    def test_ptx(self):
        for arch, says in (
                ("sm_80", "PTX 7.8 for sm_80 and later, "),
                ("sm_90a", "PTX 8.1 for sm_90a alone, "),
                ("sm_121", "PTX 8.8 for sm_121 and later, ")):
            self.build("fig2.dsl", "--arch=" + arch, "-o", "p.ptx")
            text = self.inspect("p.ptx")
            self.assertTrue(text.startswith(says), text)
            self.assertIn("    kernel fig2_E\n", text)
        self.assertIn("needs driver 575.51 (CUDA 12.9) or later", text)

    def test_damaged(self):
        """E710 or a report, but no crash and no control characters."""
        self.build("scale.dsl", "--emit=object", "--map=naive")
        self.build("scale.dsl", "--emit=cubin", "--map=naive", "-o", "c")
        self.write("short", b"\x7fELF")
        self.cetane("inspect", "short", code=1, says="E710")
        dice = random.Random(7)
        for name in "scale.o", "c":
            whole = self.read(name)
            start = whole.find(b"\x89CETANE\n") if name != "c" else 0
            for i in range(40):
                bad = bytearray(whole)
                for _ in range(dice.choice((1, 4, 400))):
                    at = start + dice.randrange(
                        dice.choice((64, 400, len(bad) - start)))
                    bad[at] = dice.randrange(256)
                if i % 4 == 0:
                    del bad[dice.randrange(start, len(bad)):]
                self.write("bad", bytes(bad))
                p = self.run_raw("inspect", "bad")
                self.assertIn(p.returncode, (0, 1), p.stderr)
                self.assertFalse(re.search(rb"[\x00-\x09\x0b-\x1f]",
                                           p.stdout))
                self.assertEqual(p.returncode == 1, b"E710" in p.stderr or
                                 b"E101" in p.stderr, p.stderr)


if __name__ == "__main__":
    command.main()
