"""Memory is refused at every place that asks for it, in the parent and in the
worker of ten compilations and a run, for one request and for all from there on
(sites.c). The exit code and a message say so, or the command does without and
gives the same bytes; a worker that dies has said why; outputs are whole and
new, or as they were. For each way in which workers end, one such place is tried
again with the parent that judges it.

CETANE_TEST_SITES=1 takes every place, which is a quarter of an hour;
CETANE_TEST_SITES=N each N-th. Without it, a few of each compilation are taken.
"""
import collections
import os
import shutil
import subprocess
import tempfile

import command
import damage

SITES = os.environ.get("CETANE_SITES", "build/tests/tools/libcommand_sites.so")
EVERY = int(os.environ.get("CETANE_TEST_SITES", "0"))
# Return addresses that tell sites apart, beside that in the command.
DEPTH = 2
# An assembler of which the version is all that can be had.
JITLINK = {"CETANE_PTXAS": "none", "CETANE_DRIVER": "/none",
           "CETANE_NVJITLINK": os.environ.get("CETANE_FAKE_JITLINK", "")}
# In the suite: each of so many sites of a worker, of a parent.
WORKER, PARENT = 97, 7

INDEX = """param N;
tensor f32 x(N,N);
out y(i) = sum(k: x(i,k) * 2);
"""
NEST = """void nest(int n, float a[n], float b[n])
{
#pragma scop
	for (int i = 1; i < n; i++)
		b[i] = a[i] + a[i - 1];
#pragma endscop
}
"""
CONFIG = """cetane-config 1
program fig2
kernel fig2_E thread 8 16 tile 64 128 32 vec 1 4 steps 4 stages 2
"""
ARCHS = "--arch=sm_80,sm_90a"
BUILDS = [
    ["build", "fig2.dsl", "--emit=dag,deps,schedule", "-o", "x"],
    ["build", "scale.dsl", "--emit=ptx,poly,ast", "-o", "x", "-DN=32"],
    ["build", "scale.dsl", "--emit=llvm,llvm-opt", "-o", "x"],
    ["build", "index.dsl", "--emit=ptx", "-o", "x.ptx"],
    ["build", "nest.c", "--emit=ptx", "-o", "x.ptx"],
    ["build", "scale.dsl", "--emit=object", "-o", "x.o", ARCHS],
    ["build", "scale.dsl", "--emit=fatbin", "-o", "x.fatbin", ARCHS],
    ["build", "scale.dsl", "--map=naive", "--emit=cubin", "-o", "x.cubin"],
    ["inspect", "scale.dsl"],
    ["check", "fig2.dsl"],
    ["run", "scale.dsl", "-DN=6", "-oY=x.npy"],
]
NEEDS_TOOLKIT = ("object", "fatbin", "cubin")
OK, MEMORY = 0, (3, 4)
# The dynamic linker, which the parent takes for want of memory.
BY_LINKER = 127

# A line of the log of sites.c.
Line = collections.namedtuple("Line", "count status out result")


class NoMemory(damage.Case):
    tried = 0

    def setUp(self):
        super().setUp()
        self.write("index.dsl", INDEX)
        self.write("nest.c", NEST)
        os.mkdir(self.path("temporary"))
        self.inputs = self.files()

    # ------------------------------------------------------- one, in earnest

    def one(self, args, request):
        """The exit code of a command with a fault of shim.c."""
        what = f"{args} {request}"
        code, err = self.damaged(args, request)
        new = self.check_whole(args, what)
        self.assertIn(code, (OK, *MEMORY), what + err)
        if code:
            self.assertEqual(new, 0, what)
            self.assertRegex(err, r"error\[E.*memory", what)
        else:
            self.assertEqual(new, len(self.good(args)), what + err)
        self.assertEqual(self.hidden(), {}, what)
        return code

    # -------------------------------------------------------------- all sites

    def log(self, args, where, how, every):
        """Run under sites.c; its lines and the folder of results. What a
        child reads of a pipe is missing in the process, such as the version
        that ptxas tells and an object names.
        """
        results = tempfile.TemporaryDirectory()
        self.addCleanup(results.cleanup)
        folder = results.name
        for name in self.good(args):
            self.write(name, b"old")
        env = dict(os.environ, LD_PRELOAD=SITES, SITES_LOG=folder,
                   TMPDIR=self.path("temporary"),
                   SITES=f"{where}:{how}:{DEPTH}:{every}:{every // 2}")
        p = subprocess.run([command.CETANE, *args, "--time-limit=0"],
                           cwd=self.folder.name, env=env,
                           stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual(p.returncode, 0, p.stderr)
        if ARCHS not in args:
            self.assertEqual(self.outputs(), self.good(args))
        shutil.rmtree(self.path("temporary.saved"), ignore_errors=True)
        with open(os.path.join(folder, "log")) as f:
            rows = [line.split() for line in f]
        return [Line(int(r[0]), int(r[1]), r[2] != "0", r[3])
                for r in rows], folder

    def judge(self, line, good, text, where):
        """What is wrong with the end of a child, or None."""
        if line.status == 0:
            return None if line.result == good else "other output"
        if os.WIFSIGNALED(line.status):
            if where == "worker" and line.out:
                return None
            return f"signal {os.WTERMSIG(line.status)}"
        code = os.WEXITSTATUS(line.status)
        if where == "worker" and code == BY_LINKER:
            return None
        if code not in MEMORY:
            return f"exit code {code}"
        if where == "worker" and (line.out or b"error[E" not in text):
            return None
        if b"error[E" not in text or b"memory" not in text:
            return "no message of memory"
        if any(part[part.index(b"\n") + 1:] != b"old"
               for part in text.split(b"\nfile ")[1:]):
            return "an output has changed"
        return None

    def sweep(self, args, where, how, every):
        lines, folder = self.log(args, where, how, every)
        self.assertEqual((lines[0].count, lines[0].status), (0, 0))
        ways = {}
        wrong = []
        for line in lines[1:]:
            with open(os.path.join(folder, line.result), "rb") as f:
                text = f.read()
            why = self.judge(line, lines[0].result, text, where)
            if why:
                wrong.append(f"{line}: {why}: {text[-300:]}")
            ways.setdefault((line.status, line.result), line.count)
        self.assertEqual(wrong[:5], [], f"{len(wrong)} {args} {where} {how}")
        NoMemory.tried += len(lines) - 1
        if where == "worker":
            for count in ways.values():
                self.one(args, f"worker:malloc:{count}"
                         f"{'+' if how == 'on' else ''}:12")
        print(f"{' '.join(args)}: {where}, {how}: {len(lines) - 1} sites, "
              f"{len(ways)} ways", flush=True)

    def clear(self):
        for f in self.files():
            if f not in self.inputs and os.path.isfile(self.path(f)):
                os.remove(self.path(f))

    def test_sites(self):
        for i, args in enumerate(BUILDS):
            if not command.PTXAS and any(
                    k in word for word in args for k in NEEDS_TOOLKIT):
                continue
            for k, how in enumerate(["once", "on"]):
                with self.subTest(args=args, how=how):
                    if EVERY:
                        self.sweep(args, "parent", how, 1)
                        self.sweep(args, "worker", how, EVERY)
                    elif (i + k) % 2:
                        self.sweep(args, "worker", how, WORKER)
                    elif i < 2:
                        self.sweep(args, "parent", how, PARENT)

    def test_first(self):
        """The very first requests, before a worker can say why it dies."""
        for where in ["parent", "worker"]:
            for n in ["1", "2", "1+", "2+"]:
                self.one(BUILDS[0], f"{where}:malloc:{n}:12")

    def test_texts(self):
        """Copies of texts, of which isl does not say that they failed."""
        args = ["build", "scale.dsl", "--emit=poly,schedule", "-o", "x"]
        most = self.counts(args)["worker", "strdup"]
        for n in range(most - most // 4, most + 1, max(1, most // 40)):
            self.one(args, f"worker:strdup:{n}:12")

    def test_config(self):
        """While a configuration is read: it has no fault."""
        self.write("config", CONFIG)
        self.inputs = self.files()
        args = ["build", "fig2.dsl", "--emit=poly", "-o", "x"]
        first = self.counts([*args, "--config=none"], code=2)
        first = first["worker", "malloc"]
        for n in range(first - 10, first + 20):
            code, err = self.damaged([*args, "--config=config"],
                                     f"worker:malloc:{n}:12")
            self.assertEqual(code, 3, err)
            self.assertNotIn("E610", err)
            self.assertIn("memory", err)

    def said(self, args, request=None):
        env = {**self.env(request), **JITLINK}
        p = self.run_raw(*args, env=env)
        text = p.stdout.decode()
        # What stands above is about the driver, in the linker's words.
        return p.returncode, (text[max(text.find("\nptxas "), 0):] +
                              p.stderr.decode())

    def test_found(self):
        """What is found on this machine is told, or that memory was short."""
        for args in ["doctor"], ["--version", "--verbose"]:
            code, good = self.said(args)
            self.assertIn("12.34" if args == ["doctor"] else "ptxas none", good)
            short = 0
            for n in range(1, 100):
                now, text = self.said(args, f"parent:malloc:{n}:12")
                # glob() of glibc 2.36 frees twice without memory.
                if text == good or "double free" in text:
                    continue
                self.assertIn(now, (code, 3), text)
                self.assertIn("memory", text)
                short += 1
            self.assertGreater(short, 5)

    def test_z_enough(self):
        # Functions that are not expanded in place have fewer sites.
        print(NoMemory.tried, "sites")
        self.assertGreater(NoMemory.tried, 100)


if __name__ == "__main__":
    command.main()
