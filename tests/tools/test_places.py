"""Nothing is written but outputs, the cache, and temporary files that go again, and no
verb needs more than the right to read what it reads.
"""
import os
import re
import shutil
import stat
import subprocess
import unittest

import command

STRACE = shutil.which("strace")
NOBODY = 65534
CALLS = "openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat," \
    "link,linkat,symlink,symlinkat,mknod,mknodat,truncate,chmod,fchmodat"
PROGRAM = command.FIG2 + "# test: M=3 K=4 N=5\n"
SIZES = ["-DM=3", "-DK=4", "-DN=5"]
# A verb, and what it leaves in the folder where it runs.
VERBS = [
    (["build", "p.dsl", "--emit=object", "--arch=sm_80,sm_90a"], {"p.o", "p.h", "p.json"}),
    (["build", "p.dsl", "--emit=ptx,html", "-o", "q"], {"q.ptx", "q.html"}),
    (["build", "p.dsl", "--emit=ptx", "--verify-reproducible", "-o", "r.ptx"],
     {"r.ptx"}),
    (["check", "p.dsl"], set()),
    (["run", "p.dsl", *SIZES, "--sanitize=all", "-o", "E=e.npy"], {"e.npy"}),
    (["test", "p.dsl", "--device=host", "--junit=t.xml"], {"t.xml"}),
    (["bench", "p.dsl", *SIZES, "--device=host", "-o", "b.json"], {"b.json"}),
    (["profile", "p.dsl", *SIZES, "--device=host"], set()),
    (["inspect", "p.dsl", "--explain"], set()),
    (["tune", "p.dsl", *SIZES, "--dry-run"], set()),
    (["fmt", "--check", "p.dsl"], set()),
    (["doctor"], set()),
    (["explain", "E203"], set()),
    (["cache", "stat"], set()),
]


def written(trace):
    """Paths that a system call that succeeded has made, changed or taken away. Those
    below a folder that is open stand behind it.
    """
    for line in trace.splitlines():
        call = re.match(r"(?:\d+ +)?(\w+)\((.*)\) = (\d+)", line)
        if not call or (call[1].startswith("open") and
                        not re.search(r"O_(WRONLY|RDWR|CREAT)", call[2])):
            continue
        folder = re.match(r"(?:AT_FDCWD|\d+)<(.*?)>, ", call[2])
        for path in re.findall(r'"(.*?)"', call[2]):
            yield os.path.normpath(os.path.join(folder[1] if folder else "/", path))


class Places(command.Case):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder.name, 0o755)
        for name in "home", "work", "tmp", "cache":
            os.mkdir(self.path(name))
        self.write("work/p.dsl", PROGRAM)
        # The build folder may be for its owner alone.
        self.command = shutil.copy(command.CETANE, self.path("cetane"))
        # A user who may write in three folders; root may write anywhere.
        self.more = {}
        if os.geteuid() == 0:
            self.more["user"] = self.more["group"] = NOBODY
            self.more["extra_groups"] = []
            for name in "work", "work/p.dsl", "tmp", "cache":
                os.chown(self.path(name), NOBODY, NOBODY)
        os.chmod(self.path("home"), stat.S_IRUSR | stat.S_IXUSR |
                 stat.S_IROTH | stat.S_IXOTH)
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith("XDG_")}
        self.env.update(HOME=self.path("home"), TMPDIR=self.path("tmp"),
                        CETANE_CACHE_DIR=self.path("cache"))

    def run_in_work(self, *words):
        return subprocess.run(words, cwd=self.path("work"), env=self.env,
                              capture_output=True, text=True, **self.more)

    def left(self, name):
        return set(os.listdir(self.path(name)))

    def test_verbs(self):
        want = {"p.dsl"}
        for words, outputs in VERBS:
            with self.subTest(words[0]):
                p = self.run_in_work(self.command, *words)
                # doctor tells so if there is no GPU.
                self.assertIn(p.returncode, [0, 3] if words == ["doctor"] else [0],
                              p.stderr)
                want |= outputs
                self.assertEqual(self.left("work"), want)
                self.assertEqual(self.left("tmp") | self.left("home"), set())
        self.assertTrue(self.left("cache"))
        self.assertEqual([n for n in self.left("cache")
                          if not n.endswith(".reply")], [])

    @unittest.skipUnless(STRACE, "no strace")
    def test_system_calls(self):
        """Every path that is opened to be written, made, moved or removed."""
        trace = self.path("work/trace")
        for words, _ in VERBS:
            with self.subTest(words[0]):
                p = self.run_in_work(STRACE, "-f", "-y", "-qq", "-s", "999",
                                     "-e", "trace=" + CALLS, "-o", trace,
                                     self.command, *words)
                if not os.path.exists(trace) or "ptrace" in p.stderr:
                    self.skipTest("no process may be traced")
                with open(trace, encoding="utf-8", errors="replace") as f:
                    found = set(written(f.read()))
                if words[0] == "build":
                    self.assertTrue(found)
                os.remove(trace)
                self.assertEqual([f for f in found if not f.startswith(
                    (self.path("work"), self.path("tmp"), self.path("cache"))) and
                    not f.startswith("/dev/") and not f.startswith("/proc/")], [])


if __name__ == "__main__":
    command.main()
