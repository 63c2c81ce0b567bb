"""The compile cache, and the verb cache."""
import glob
import hashlib
import os
import subprocess
import unittest

import command


class Cache(command.Case):
    def setUp(self):
        super().setUp()
        self.write("scale.dsl", command.SCALE)
        self.folder_of_cache = self.path("kept")
        self.env = dict(os.environ, CETANE_CACHE_DIR=self.folder_of_cache)

    def build(self, *args, **more):
        return self.cetane("build", "scale.dsl", *args, env=self.env, **more)

    def entries(self):
        return sorted(glob.glob(os.path.join(self.folder_of_cache, "*")))

    def change(self, path, old, new, honest):
        """Change an entry; "honest": so that its hash is right again."""
        with open(path, "rb") as f:
            data = f.read()
        self.assertIn(old, data)
        data = data[:-64].replace(old, new)
        if honest:
            end = hashlib.sha256(data).hexdigest().encode()
        else:
            end = b"0" * 64
        with open(path, "wb") as f:
            f.write(data + end)

    def test_used(self):
        """What is kept comes back; what is damaged does not."""
        first, _ = self.build("--emit=ptx")
        one, = self.entries()
        self.assertEqual(self.build("--emit=ptx")[0], first)
        self.change(one, b".visible", b".VISIBLE", True)
        self.assertIn(b".VISIBLE", self.build("--emit=ptx")[0])
        self.change(one, b".VISIBLE", b".vIsIbLe", False)
        self.assertEqual(self.build("--emit=ptx")[0], first)
        self.assertEqual(self.entries(), [one])

    def test_key(self):
        """Whatever decides the output decides the entry; the rest does not."""
        self.build("--emit=ptx")
        for n, args in enumerate([["--emit=llvm"], ["--emit=ptx", "-DN=8"],
                                  ["--emit=ptx", "--arch=sm_80"],
                                  ["--emit=ptx", "--fp=strict"],
                                  ["--emit=ptx", "--no-contract"]], 2):
            self.build(*args)
            self.assertEqual(len(self.entries()), n, args)
        self.build("--emit=ptx", "-o", "out.ptx")
        self.build("--emit=ptx", "--time-limit=50", "--color=never")
        self.assertEqual(len(self.entries()), 6)
        self.env["CETANE_DEBUG"] = "sm1"
        self.build("--emit=ptx")
        self.write("scale.dsl", command.SCALE + "# more\n")
        self.build("--emit=ptx")
        self.write("other.dsl", command.SCALE)
        self.cetane("build", "other.dsl", env=self.env)
        self.assertEqual(len(self.entries()), 9)

    def test_not_kept(self):
        """What fails, what reads other files, and what writes a log."""
        self.write("bad.dsl", "Params N;\nB = A;\n")
        self.cetane("build", "bad.dsl", env=self.env, code=1)
        self.write("f.h", "#define TWO 2\n")
        self.write("f.c", '#include "f.h"\nvoid f(int n, float x[n])\n{\n'
                   "\tfor (int i = 0; i < n; i++) x[i] *= TWO;\n}\n")
        self.cetane("build", "f.c", env=self.env)
        self.build("--time-passes", "-o", "x.ptx")
        self.write("s.lua", "gpu{block={'i'}}\n")
        self.run_raw("build", "scale.dsl", "--schedule=s.lua", env=self.env)
        self.assertEqual(self.entries(), [])
        self.cetane("build", "scale.dsl")
        self.assertFalse(os.path.exists(self.folder_of_cache))

    def test_warnings(self):
        self.write("warn.dsl", "Params N, M;\nMatrix A(N,N);\nB = A;\n"
                   "CodeGen(FLOAT, {B});\n")
        says = [self.cetane("check", "warn.dsl", env=self.env)
                for _ in range(2)]
        self.assertIn("W232", says[0][1])
        self.assertEqual(says[0], says[1])
        self.assertEqual(len(self.entries()), 1)

    def test_bounded(self):
        """The entry that was not used for the longest time goes first."""
        self.build("--emit=ptx")
        one, = self.entries()
        self.build("--emit=llvm")
        os.utime(one, (1, 1))
        self.env["CETANE_CACHE_SIZE"] = str(sum(
            os.path.getsize(e) for e in self.entries()))
        self.build("--emit=dag")
        self.assertNotIn(one, self.entries())
        self.assertTrue(self.entries())

    def test_verb(self):
        def cache(action, **more):
            return self.cetane("cache", action, env=self.env, **more)

        self.assertIn(b": 0 entries, 0 of at most 1073741824", cache("stat")[0])
        for kind in "ptx", "llvm", "dag":
            self.build("--emit=" + kind)
        self.assertIn(b": 3 entries", cache("stat")[0])
        self.change(self.entries()[1], b"e", b"E", False)
        self.assertEqual(cache("verify")[0], b"1 removed\n")
        self.assertEqual(cache("prune")[0], b"0 removed\n")
        self.assertEqual(cache("clear")[0], b"2 removed\n")
        self.assertEqual(self.entries(), [])
        self.assertIn("stat, prune, clear or verify", cache("all", code=2)[1])
        self.cetane("cache", code=2, says="stat, prune, clear or verify")
        self.cetane("cache", "stat", "stat", code=2)
        self.cetane("cache", "stat", code=3)

    def test_no_folder(self):
        """A folder that cannot be made is no error."""
        self.env["CETANE_CACHE_DIR"] = self.path("no/such")
        self.build("--emit=dag")

    def test_many(self):
        """64 processes with one folder, which is too small for all of it."""
        self.env["CETANE_CACHE_SIZE"] = "20K"
        kinds = ["dag", "deps", "schedule", "poly"]
        want = {k: self.cetane("build", "scale.dsl", "--emit=" + k)[0]
                for k in kinds}
        running = [(k, subprocess.Popen(
            [command.CETANE, "build", "scale.dsl", "--emit=" + k],
            cwd=self.folder.name, env=self.env, stdout=subprocess.PIPE))
            for k in kinds * 16]
        for kind, p in running:
            self.assertEqual(p.communicate()[0], want[kind])
            self.assertEqual(p.returncode, 0)
        self.assertEqual([e for e in self.entries()
                          if not e.endswith(".reply")], [])
        self.assertEqual(self.cetane("cache", "verify", env=self.env)[0],
                         b"0 removed\n")


if __name__ == "__main__":
    unittest.main()
