"""Objects for another processor: --host=aarch64-linux-gnu. What is in them is told by
readelf; programs are run by QEMU, where it is.
"""
import os
import platform
import subprocess
import sys
import unittest

import cross
import linked
import test_selftest
from command import SCALE

HERE = platform.machine() + "-linux-gnu"
FOR = "--host=" + cross.TRIPLE
WHOLE = os.environ.get("CETANE_TEST_WHOLE")
# A plain char has a sign on x86-64 alone; so has a character.
CHARS = """struct mixed { char c; short s; double d; };
int chars(int n, const char *a, int *b, struct mixed m)
{
#ifdef __CHAR_UNSIGNED__
	int last = 1000;
#else
	int last = 2000;
#endif
	for (int i = 0; i < n; i++)
		b[i] = a[i] * 3 + '\\xf0' + m.c + m.s + (int)m.d;
	return last;
}
"""
CALLER = """#include <stdio.h>
struct mixed { char c; short s; double d; };
int chars(int n, const char *a, int *b, struct mixed m);
int main(void)
{
	const char a[] = { 1, 127, (char)128, (char)255 };
	int b[4], last = chars(4, a, b, (struct mixed){ (char)200, -7, 4.5 });

	for (int i = 0; i < 4; i++)
		printf("%d ", b[i]);
	printf("%d\\n", last);
	return 0;
}
"""
needs_cross = unittest.skipUnless(cross.THERE, "nothing for AArch64 here")


def read(*words):
    return subprocess.run(words, text=True, capture_output=True,
                          check=True).stdout


class Host(linked.Case):
    def symbols(self, name, *flags):
        return {tuple(line.split()[-2:]) for line in
                read("nm", *flags, self.path(name)).splitlines()}

    def test_object(self):
        """An object for that machine, with the same functions and images."""
        self.build("half.dsl", linked.HALF, "--arch=sm_80", "--pitched",
                   "--selftest")
        header, manifest = self.read("half.h"), self.read("half.json").decode()
        seen = self.symbols("half.o", "-g", "--defined-only")
        self.build("half.dsl", linked.HALF, "--arch=sm_80", "--pitched",
                   "--selftest", FOR, "-o", "arm.o")
        self.assertRegex(read("readelf", "-h", self.path("arm.o")),
                         r"Machine: +AArch64\n")
        self.assertEqual(self.symbols("arm.o", "-g", "--defined-only"), seen)
        needed = {name for kind, name in self.symbols("arm.o", "-u")}
        self.assertLessEqual(needed, {
            "memcpy", "memset", *(n for n in needed if n.startswith("cetane_"))})
        self.assertEqual(self.read("arm.h"), header)
        self.assertEqual(
            self.read("arm.json").decode(), manifest.replace(
                f'"triple": "{HERE}"', f'"triple": "{cross.TRIPLE}"'))
        said = self.cetane("inspect", "arm.o")[0].decode()
        self.assertIn("sm_80", said)
        self.assertIn("functions for the host device, " + cross.TRIPLE, said)

    def test_names(self):
        """With and without a vendor; that of this machine is no other object."""
        self.build("scale.dsl", SCALE, "--arch=sm_80")
        plain = self.read("scale.o")
        for triple in HERE, HERE.replace("-", "-unknown-", 1):
            self.build("scale.dsl", SCALE, "--arch=sm_80", "--host=" + triple)
            self.assertEqual(self.read("scale.o") == plain, True, triple)
        made = []
        for triple in cross.TRIPLE, "aarch64-unknown-linux-gnu":
            self.build("scale.dsl", SCALE, "--arch=sm_80", "--host=" + triple)
            made.append(self.read("scale.o"))
        self.assertEqual(made[0] == made[1], True)
        self.assertNotEqual(made[0] == plain, True)

    def test_refused(self):
        for triple in ("riscv64-linux-gnu", "aarch64", "aarch64-linux-musl",
                       "aarch64-apple-darwin", "aarch64--linux-gnu", "",
                       "aarch64-a-b-linux-gnu", "aarch64_be-linux-gnu"):
            self.build("mm.dsl", linked.MM, "--host=" + triple, code=2,
                       says="error[E603]: option --host needs "
                       f'x86_64-linux-gnu or aarch64-linux-gnu, not "{triple}"')
        self.cetane("build", "mm.dsl", FOR, code=2,
                    says="--host needs --emit=object")

    def test_cache(self):
        """Objects for two hosts are two entries."""
        env = {"CETANE_CACHE_DIR": self.path("cache")}
        made = {}
        for _ in range(2):
            for words in (), (FOR,):
                self.build("scale.dsl", SCALE, "--arch=sm_80", *words, env=env)
                made.setdefault(words, set()).add(self.read("scale.o"))
        self.assertEqual([len(s) for s in made.values()], [1, 1])
        self.assertFalse(made[()] & made[FOR,])

    @unittest.skipIf(linked.SANITIZE, "a library alone has no sanitizer")
    def test_loaded(self):
        """An object for another machine is not loaded into a process of this one."""
        self.build("scale.dsl", SCALE, "--arch=sm_80", FOR)
        folder = os.path.dirname(linked.command.CETANE)
        p = subprocess.run(
            [sys.executable, "-c", "import cetane; cetane.load('scale.o', "
             "device='host')"], cwd=self.folder.name, text=True,
            capture_output=True, env=dict(
                os.environ, CETANE_LIBRARY=folder, CETANE_DRIVER="/none",
                PYTHONPATH=os.path.join(linked.SOURCE, "tools", "python")))
        self.assertEqual(p.returncode, 1, p.stderr)
        self.assertIn(f"the object is for {cross.TRIPLE}, and this is {HERE}",
                      p.stderr)

    @needs_cross
    def test_runs(self):
        """Self-tests pass there: of a static program at any address, and of one with
        shared libraries; in the quick suite those of one of three programs.
        """
        runtime = cross.runtime(linked.command.CETANE, self.folder.name)
        programs = list(test_selftest.PROGRAMS.items())
        for i, (file, (text, args)) in enumerate(
                programs if WHOLE else programs[1::3]):
            with self.subTest(file):
                name = self.build(file, text, "--selftest", FOR, *args)
                program = self.link(
                    "selftest.c", f"-DSELFTEST={name}_selftest",
                    *["-static-pie"] * (i % 2), name + ".o",
                    compiler=cross.CC, runtime=runtime)
                self.assertEqual("INTERP" in read("readelf", "-l", program),
                                 i % 2 == 0)
                self.assertRegex(read("readelf", "-h", program),
                                 r"Type: +DYN[^\n]*\n *Machine: +AArch64\n")
                self.assertEqual(read(cross.QEMU, "-L", cross.ROOT, program),
                                 "0 \n")

    @needs_cross
    def test_char(self):
        """The object computes what the C of that machine means."""
        runtime = cross.runtime(linked.command.CETANE, self.folder.name)
        self.build("chars.c", CHARS, "--drop-in", FOR)
        self.write("main.c", CALLER)
        out = []
        for words in ["chars.c"], ["chars.o", runtime]:
            subprocess.run([cross.CC, "-O1", "-o", "program", "main.c", *words,
                            "-lpthread", "-ldl", "-lm"], check=True,
                           cwd=self.folder.name)
            out.append(read(cross.QEMU, "-L", cross.ROOT,
                            self.path("program")))
        self.assertEqual(out[1], out[0])
        self.assertIn("1000", out[0])


if __name__ == "__main__":
    unittest.main()
