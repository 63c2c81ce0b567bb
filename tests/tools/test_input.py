"""What the command reads and runs: input without an end, files that cannot be
read, programs that fail, and programs that somebody has put in its way.
"""
import json
import os
import subprocess
import threading
import unittest

import command

NO_ASSEMBLER = {"CETANE_PTXAS": "none", "CETANE_NVJITLINK": "none"}
NEST = """void f(int n, float x[n])
{
	for (int i = 0; i < n; i++)
		x[i] *= 2;
}
"""
# Words in which a file stands, "%s", for each kind of input.
READS = {
    "a program": ["build", "%s"],
    "a program to check": ["check", "%s"],
    "a program to run": ["run", "%s"],
    "a program to inspect": ["inspect", "%s"],
    "a program to tune": ["tune", "%s"],
    "poly IR": ["build", "%s", "--from=poly"],
    "LLVM IR": ["build", "%s", "--from=llvm"],
    "poly IR to run": ["run", "%s", "--from=poly"],
    "LLVM IR to inspect": ["inspect", "%s", "--from=llvm"],
    "a configuration": ["build", "fig2.dsl", "--config=%s"],
    "a database": ["build", "fig2.dsl", "--tuning=%s"],
    "arguments": ["build", "@%s"],
    "sizes": ["bench", "--sizes=%s", "--list"],
    "an array": ["run", "scale.dsl", "-DN=3", "-iX=%s"],
}


def limit_memory():
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))


class Endless(command.Case):
    def check(self, args, **more):
        """The input is refused, with what it is called."""
        p = self.run_raw(*args, preexec_fn=None if command.SANITIZED
                         else limit_memory, **more)
        self.assertIn(p.returncode, (1, 2), p.stderr)
        self.assertRegex(p.stderr, rb"error\[E561\]: \S+ has more than \d+ "
                         rb"bytes", args)

    def test_devices(self):
        for what, words in READS.items():
            with self.subTest(what):
                self.check([w.replace("%s", "/dev/zero") for w in words])

    def test_standard_input(self):
        with open("/dev/zero", "rb") as zero:
            for args in ("build", "-"), ("run", "scale.dsl", "-DN=3", "-iX=-"):
                p = subprocess.run([command.CETANE, *args], stdin=zero,
                                   cwd=self.folder.name, capture_output=True)
                self.assertIn(p.returncode, (1, 2))
                self.assertIn(b"error[E561]: <stdin> has more", p.stderr)

    def test_pipe(self):
        """A pipe that somebody fills without an end."""
        os.mkfifo(self.path("pipe"))

        def fill():
            with open(self.path("pipe"), "wb", buffering=0) as f:
                try:
                    while True:
                        f.write(b" " * 65536)
                except BrokenPipeError:
                    pass
        thread = threading.Thread(target=fill)
        thread.start()
        self.check(["build", "pipe"])
        thread.join()

    def test_huge_files(self):
        """Are refused without being read: they have holes of terabytes."""
        with open(self.path("huge"), "wb") as f:
            f.truncate(1 << 41)
        for what, words in READS.items():
            with self.subTest(what):
                self.check([w.replace("%s", "huge") for w in words])

    def test_largest(self):
        """What has as many bytes as may be is read."""
        text = command.FIG2.encode()
        self.write("x.dsl", text + b"\n" * ((1 << 20) - len(text)))
        self.cetane("check", "x.dsl")
        self.write("x.dsl", text + b"\n" * ((1 << 20) - len(text) + 1))
        self.cetane("check", "x.dsl", code=1, says="error[E105]")

    def bounded(self, *args, code, says, env=None):
        """The command ends so, and no program that it runs takes 2 GiB."""
        with open(self.path("said"), "wb") as f:
            p = subprocess.Popen([command.CETANE, *args], stdout=f, stderr=f,
                                 cwd=self.folder.name, env=dict(
                                     os.environ, **env or {}))
            _, status, used = os.wait4(p.pid, 0)
            p.returncode = os.waitstatus_to_exitcode(status)
        said = self.read("said").decode(errors="replace")
        self.assertEqual(p.returncode, code, said[-2000:])
        self.assertIn(says, said)
        self.assertLess(len(said), 1 << 16)
        if not command.SANITIZED:
            self.assertLess(used.ru_maxrss, 2 << 20)

    def test_headers(self):
        """The preprocessor reads no file without an end, either."""
        self.write("f.c", "#include \"/dev/zero\"\n" + NEST)
        self.bounded("check", "f.c", code=1, says="error[E156]")

    def test_macros(self):
        """Nor does it write one: a text of 10^12 words in 12 lines."""
        word = "x" * 500 + " "
        self.write("f.c", f"#define A0 {word * 10}\n" + "".join(
            f"#define A{i} " + f"A{i - 1} " * 10 + "\n"
            for i in range(1, 12)) + NEST + "A11\n")
        self.bounded("check", "f.c", code=1, says="error[E156]: the "
                     "preprocessor says: File size limit exceeded")

    def test_programs(self):
        """What other programs say is read up to a limit."""
        for name in "ptxas", "cc", "fatbinary":
            self.write(name, "#!/bin/sh\nexec yes 'error: words'\n")
            os.chmod(self.path(name), 0o755)
        env = {"CETANE_PTXAS": self.path("ptxas"), "CC": self.path("cc"),
               "CETANE_FATBINARY": self.path("fatbinary")}
        self.write("f.c", NEST)
        self.bounded("build", "fig2.dsl", "--emit=cubin", env=env, code=3,
                     says="ptxas: File too large")
        self.bounded("check", "f.c", env=env, code=1, says="error[E156]")
        self.bounded("doctor", env=env, code=3, says="does not tell its "
                     "version")

    def test_arrays_of_other_types(self):
        """Are not too large to be told from the right one."""
        head = str({"descr": "<f8", "fortran_order": False,
                    "shape": (3, 3)}).encode().ljust(117) + b"\n"
        self.write("x.npy", b"\x93NUMPY\1\0v\0" + head + bytes(72))
        self.cetane("run", "scale.dsl", "-DN=3", "-iX=x.npy", code=1,
                    says="error[E703]")


class Unreadable(command.Case):
    def check(self, args, code, **more):
        p = self.run_raw(*args, **more)
        self.assertEqual(p.returncode, code, p.stderr)
        self.assertIn(b"error[E551]: cannot read ", p.stderr)
        self.assertEqual([f for f in self.files() if "crash" in f], [])

    @unittest.skipIf(os.geteuid() == 0 and not os.path.exists("/proc/self/mem"),
                     "everything can be read")
    def test_files(self):
        """There, but nothing comes out: the machine fails, not the input."""
        for what, words in READS.items():
            with self.subTest(what):
                # Its first byte is no memory of the process.
                self.check([w.replace("%s", "/proc/self/mem")
                            for w in words], 3)

    def test_names(self):
        for name in "absent", "fig2.dsl/x", ".", "x" * 300:
            self.check(["build", name], 1)


class Programs(command.Case):
    def script(self, name, text):
        self.write(name, "#!/bin/sh\n" + text + "\n")
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def test_failing_assembler(self):
        """Exit code 3 and its words; only what it says of the PTX is ours."""
        for text, says in (
                ("exit 1", "it fails without a reason"),
                ("echo something odd; exit 1", "something odd"),
                ("kill -9 $$", "it was ended by signal 9"),
                ("echo \"ptxas fatal   : Value 'sm_90a' is not defined for "
                 "option 'gpu-name'\"; exit 255", "is not defined"),
                ("echo 'ptxas kernel.ptx, line 1; fatal   : Unsupported "
                 ".version 9.9; current version is 8.0'; exit 255",
                 "Unsupported"),
                ("exit 0", "No such file")):
            ptxas = self.script("ptxas", text)
            for args in (["build", "scale.dsl", "--emit=cubin", "-o", "x"],
                         ["build", "scale.dsl", "--emit=object", "-o", "x.o"],
                         ["inspect", "scale.dsl"]):
                _, err = self.cetane(*args, code=3, env={
                    "CETANE_PTXAS": ptxas}, says="error[E502]: cannot run " +
                    ptxas)
                self.assertIn(says, err)
                self.assertEqual([f for f in self.files()
                                  if f[0] == "x" or "crash" in f], [])
        ptxas = self.script("ptxas", "echo 'ptxas kernel.ptx, line 5; error   "
                            ": Arguments mismatch'; exit 255")
        self.cetane("build", "scale.dsl", "--emit=cubin", "-o", "x", code=70,
                    env={"CETANE_PTXAS": ptxas}, says="error[E455]: ptxas "
                    "rejects the PTX")

    def test_no_assembler(self):
        """An object has PTX and the host device, and says so."""
        _, err = self.cetane("build", "scale.dsl", "--emit=object", "-o",
                             "x.o", "--arch=sm_80,sm_90a", env=NO_ASSEMBLER,
                             says="warning[W505]")
        self.assertEqual(err.count("W505"), 1)
        images = json.loads(self.read("x.json"))["images"]
        self.assertEqual([(i["kind"], i.get("arch")) for i in images], [
            ("ptx", "sm_80"), ("ptx", "sm_90"), ("host", None)])
        self.cetane("build", "scale.dsl", "--emit=object", "-o", "y.o",
                    env=NO_ASSEMBLER)
        images = json.loads(self.read("y.json"))["images"]
        self.assertEqual([i["kind"] for i in images], ["ptx", "host"])
        self.cetane("build", "scale.dsl", "--emit=cubin", "-o", "x", code=3,
                    env=NO_ASSEMBLER, says="error[E501]")

    def test_file_size_limit(self):
        """What the system does not let grow ends no process."""
        for blocks in "0", "1":
            for args, code in (
                    ("build fig2.dsl -o x", "E560"),
                    ("run scale.dsl -DN=99 -oY=x", "E552"),
                    ("build fig2.dsl --emit=cubin -o x", "E502")):
                if code == "E502" and not command.PTXAS:
                    continue
                p = subprocess.run(
                    ["/bin/sh", "-c", f'ulimit -f {blocks}; exec "$0" {args}',
                     command.CETANE], cwd=self.folder.name,
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE)
                self.assertEqual(p.returncode, 3, p.stderr)
                # Not even what worker and parent share.
                code = "E555" if blocks == "0" else code
                self.assertRegex(p.stderr.decode(),
                                 rf"error\[{code}\]: .*ile too large")
                self.assertEqual([f for f in self.files()
                                  if f[0] == "x" or "crash" in f], [])

    def test_relative_folders_of_path(self):
        """Programs in the current folder are not run by their names."""
        os.mkdir(self.path("d"))
        for name in "ptxas", "cc", "fatbinary", "d/ptxas", "d/cc":
            self.script(name, "echo ran >> ran; exit 1")
        self.write("f.c", NEST)
        rest = os.environ["PATH"]
        for path in (f":{rest}", f"{rest}:", f".:{rest}", f"d:{rest}",
                     f"./d:{rest}", f"{rest}::/bin", "", "."):
            env = dict(PATH=path)
            for args in (["build", "fig2.dsl", "--emit=cubin", "-o", "x"],
                         ["check", "f.c"], ["doctor"],
                         ["--version", "--verbose"]):
                self.run_raw(*args, env=env)
                self.assertNotIn("ran", self.files(), f"{path} {args}")
        for name in "ptxas", "cc":
            self.run_raw("build", "fig2.dsl", "--emit=cubin", "-o", "x",
                         env={"CETANE_PTXAS": name, "PATH": "."})
            self.run_raw("check", "f.c", env={"CC": name, "PATH": "."})
            self.assertNotIn("ran", self.files())
        # A folder that is named is meant.
        self.run_raw("check", "f.c", env={"CC": "./cc"})
        self.assertIn("ran", self.files())

    def test_relative_folders_of_libraries(self):
        """Nor is a library of the current folder loaded."""
        jitlink = os.environ.get("CETANE_FAKE_JITLINK")
        if not jitlink or command.SANITIZED:
            self.skipTest("no library")
        os.symlink(jitlink, self.path("libnvJitLink.so.13"))
        os.mkdir(self.path("d"))
        os.symlink(jitlink, self.path("d/libnvJitLink.so.13"))
        env = {"CETANE_PTXAS": "none", "CETANE_DRIVER": "/none"}
        for path in ".", "d", ":/none", "/none:", "/none:./d":
            out = self.run_raw("doctor", env=dict(env, LD_LIBRARY_PATH=path))
            self.assertNotIn(b"12.34", out.stdout)
        out = self.run_raw("doctor", env=dict(
            env, LD_LIBRARY_PATH=self.path("d")))
        self.assertIn(b"12.34", out.stdout)


if __name__ == "__main__":
    command.main()
