"""Products on matrix units through every ptxas that there is: no kernel spills registers, and
no warpgroup's products are run one by one, of which ptxas warns as C7510 and the like.

$CETANE_PTXAS_OTHERS has the paths of more versions than that on PATH, with a colon between
two, as from the wheels of nvidia-cuda-nvcc. With one version alone a second is asked for in
a test that is skipped.
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

OTHERS = [p for p in os.environ.get("CETANE_PTXAS_OTHERS", "").split(":") if p]
HEAD = "param M, N, K;\ntensor %s A(M,K), B(%s), b(N);\n"
TURNED = "A(i,k) * B(k,j)"
ROWS = "A(i,k) * B(j,k)"
WIDE = {"i8": "i32", "f8e4m3": "f32"}


def product(kind, term, value):
    """A product with rows of B along the sum ("ROWS") or not, of which "value" is made."""
    if kind in WIDE:
        term = re.sub(r"[AB]\(.,.\)", WIDE[kind] + r"(\g<0>)", term)
    return HEAD % (kind, "K,N" if "B(k" in term else "N,K") + \
        "out C(i,j) = %s;\n" % (value % ("sum(k: %s)" % term))


# Text, M, N and K, architecture, what must be in the PTX, options.
KERNELS = [
    (product("bf16", TURNED, "%s"), (4096, 4096, 4096), "sm_90a", "wgmma"),
    (product("f16", ROWS, "relu(%s + b(j))"), (1000, 1096, 520), "sm_90a", "wgmma"),
    (product("f16", TURNED, "gelu(%s + b(j))"), (128, 8192, 2048), "sm_90a", "wgmma"),
    (product("bf16", TURNED, "gelu(%s + b(j))"), (4096, 4096, 2048), "sm_90a", "setmaxnreg"),
    (product("bf16", TURNED, "%s"), (1027, 515, 331), "sm_90a", "mma.sync"),
    (product("bf16", ROWS, "%s"), (2048, 2048, 2048), "sm_80", "mma.sync"),
    (product("f64", TURNED, "%s"), (2048, 2048, 2048), "sm_90a", "mma.sync"),
    (product("tf32", ROWS, "f32(%s)"), (4096, 4096, 4096), "sm_90a", "wgmma"),
    (product("tf32", TURNED, "f32(%s)"), (2048, 2048, 2048), "sm_90a", "mma.sync"),
    (product("i8", ROWS, "%s"), (4096, 4096, 4096), "sm_90a", "wgmma"),
    (product("i8", TURNED, "%s"), (4096, 4096, 4096), "sm_90a", "mma.sync"),
    (product("i8", TURNED, "%s"), (517, 391, 263), "sm_90a", "mma.sync"),
    (product("i8", ROWS, "%s"), (1022, 510, 334), "sm_90a", "mma.sync"),
    (product("f8e4m3", ROWS, "bf16(%s)"), (1024, 1024, 1024), "sm_90a", "mma.sync"),
    (product("f8e4m3", ROWS, "bf16(%s)"), (4096, 4096, 4096), "sm_90a", "wgmma",
     "--fp=relaxed"),
]


def assemblers():
    """Version -> path; a path that cannot be run is an error."""
    found = {}
    for path in [command.PTXAS] * bool(command.PTXAS) + OTHERS:
        said = subprocess.run([path, "--version"], capture_output=True, text=True,
                              check=True).stdout
        found.setdefault(re.search(r"V(\d+\.\d+\.\d+)", said).group(1), path)
    return found


class Assemblers(unittest.TestCase):
    def setUp(self):
        self.found = assemblers()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile(self, text, sizes, arch, word, *options):
        with open(self.path("p.dsl"), "w", encoding="utf-8") as f:
            f.write(text)
        p = subprocess.run(
            [command.CETANE, "build", self.path("p.dsl"), "--arch=" + arch, "--emit=ptx",
             "-o", self.path("p.ptx"), *options,
             *("-D%s=%d" % s for s in zip("MNK", sizes))], capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)
        with open(self.path("p.ptx"), encoding="utf-8") as f:
            self.assertIn(word, f.read())

    def assemble(self, path, arch):
        p = subprocess.run([path, "-v", "-arch=" + arch, self.path("p.ptx"), "-o",
                            self.path("p.cubin")], capture_output=True, text=True)
        said = p.stdout + p.stderr
        self.assertEqual(p.returncode, 0, said)
        self.assertNotRegex(said, r"\(C7\d\d\d\)")
        self.assertNotIn("setmaxnreg ignored", said)
        spills = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, "
                            r"(\d+) bytes spill loads", said)
        self.assertTrue(spills, said)
        self.assertEqual(set(sum(spills, ())), {"0"}, said)

    def test_kernels(self):
        if not self.found:
            self.skipTest("no ptxas")
        for i, (text, sizes, arch, word, *options) in enumerate(KERNELS):
            self.compile(text, sizes, arch, word, *options)
            for version, path in self.found.items():
                with self.subTest(kernel=i, text=text, ptxas=version):
                    self.assemble(path, arch)

    def test_versions(self):
        if len(self.found) < 2:
            self.skipTest("one version of ptxas alone: %s" % ", ".join(self.found))


if __name__ == "__main__":
    unittest.main()
