"""The worker's death at each stage: exit code, stage's name, and a reproducer
unless it died at a limit.
"""
import os
import re
import subprocess
import time
import unittest

import command

BUILD = ["fe_read", "fe_lower", "poly_compile", "nvptx_lower", "nvptx_opt",
         "nvptx_emit_ptx", "nvptx_assemble"]
# What the worker's end is called.
ERROR = {"signal": "E901", "abort": "E901", "exit": "E901",
         "memory": "E558", "spin": "E557"}
RUN = ["fe_read", "fe_lower", "poly_compile", "nvptx_lower", "nvptx_opt",
       "nvptx_jit", "launch", "verify"]

LOG = """target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %p) {
  %x = load float, ptr addrspace(1) %p
  %y = call float @llvm.log.f32(float %x)
  store float %y, ptr addrspace(1) %p
  ret void
}
declare float @llvm.log.f32(float)
"""


class Worker(command.Case):
    def crash(self, stage, how, args, code, part, *more):
        _, err = self.cetane(*args, *more, code=code,
                             env={"CETANE_TEST_CRASH": f"{stage}:{how}"})
        self.assertRegex(err, rf"error\[{ERROR[how]}\]: [^\n]*{stage}")
        self.assertIn(part, err)
        made = [f for f in self.files() if f.startswith("cetane-crash-")]
        self.assertEqual(len(made), int(code == 70), err)
        if not made:
            return
        self.assertEqual(os.stat(self.path(made[0])).st_mode & 0o777, 0o600)
        self.assertTrue(made[0].startswith(f"cetane-crash-{stage}-"))
        text = self.read(made[0]).decode()
        self.assertIn(command.SCALE, text)
        self.assertIn("'scale.dsl'", text)
        os.remove(self.path(made[0]))

    def stages(self, how, code, part, build=tuple(BUILD), run=tuple(RUN)):
        command = ["build", "scale.dsl", "--emit=cubin", "-o", "x.cubin"]
        for stage in build:
            self.crash(stage, how, command, code, part)
            self.assertNotIn("x.cubin", self.files())
        command = ["run", "scale.dsl", "-DN=2", "-oY=e.npy"]
        for stage in run:
            self.crash(stage, how, command, code, part)
            self.assertNotIn("e.npy", self.files())
        self.crash("fe_read", how, ["check", "scale.dsl"], code, part)

    def test_signal(self):
        part = "exit code" if command.SANITIZED else "signal 11"
        self.stages("signal", 70, part)

    def test_abort(self):
        self.stages("abort", 70, "signal 6", ["fe_read", "nvptx_lower"],
                    ["fe_lower", "launch"])

    def test_exit(self):
        self.stages("exit", 70, "ended with exit code 0",
                    ["poly_compile", "nvptx_assemble"], ["fe_read", "verify"])

    @unittest.skipIf(command.SANITIZED, "sanitizers need the address space")
    def test_memory(self):
        build = ["build", "scale.dsl", "--emit=cubin", "-o", "x.cubin"]
        for stage in BUILD[::2]:
            self.crash(stage, "memory", build, 4,
                       "memory limit of 256 MiB", "--memory-limit=256M")

    @unittest.skipIf(command.SANITIZED, "sanitizers need the address space")
    def test_memory_by_itself(self):
        """Wherever a compilation meets its limit, it says that and no more."""
        ends = set()
        for kib in range(768, 15 * 1024, 768):
            p = self.run_raw("run", "scale.dsl", "-DN=5",
                             f"--memory-limit={kib}K")
            ends.add(p.returncode)
            self.assertIn(p.returncode, (0, 4), p.stderr)
            if p.returncode:
                self.assertRegex(p.stderr, rb"\Acetane: error\[E558\]: \w+ "
                                 rb"needs more than the memory limit of \d+ "
                                 rb"[KM]iB\n\Z")
        self.assertEqual(ends, {0, 4})
        self.assertEqual([f for f in self.files() if "crash" in f], [])

    @unittest.skipIf(command.SANITIZED, "sanitizers need the address space")
    def test_limit_as_given(self):
        """A limit that is no whole number of MiB is told as it was given."""
        for limit, told in ("100K", "100 KiB"), ("30", "30 bytes"), (
                "1500K", "1500 KiB"), ("2M", "2 MiB"):
            p = self.run_raw("run", "scale.dsl", "-DN=5",
                             f"--memory-limit={limit}")
            self.assertEqual(p.returncode, 4)
            self.assertIn(f"the memory limit of {told}\n".encode(), p.stderr)

    @unittest.skipIf(command.SANITIZED, "sanitizers need the address space")
    def test_limit_is_absolute(self):
        """What the worker has when it begins is part of it."""
        env = dict(os.environ, CETANE_TEST_CRASH="fe_lower:hang")
        with subprocess.Popen([command.CETANE, "build", "scale.dsl",
                               "--memory-limit=256M"], env=env,
                              cwd=self.folder.name) as p:
            self.addCleanup(p.kill)
            worker = self.child(p)
            self.assertGreaterEqual(worker, 256 << 20)
            self.assertLessEqual(worker, (256 << 20) + (64 << 10))
            p.kill()
        self.cetane("build", "scale.dsl", "--memory-limit=1M", code=4,
                    says="error[E558]: fe_read needs more than the memory "
                    "limit of 1 MiB")

    def child(self, parent):
        """The limit of the child of "parent" once it has one."""
        while parent.poll() is None:
            with open(f"/proc/{parent.pid}/task/{parent.pid}/children",
                      encoding="ascii") as f:
                children = f.read().split()
            for child in children:
                with open(f"/proc/{child}/limits", encoding="ascii") as f:
                    data = re.search(r"Max data size +(\w+)", f.read())[1]
                if data != "unlimited":
                    return int(data)
            time.sleep(0.01)
        return self.fail("the worker has no limit")

    @unittest.skipIf(command.SANITIZED, "sanitizers need the address space")
    def test_arrays_come_on_top(self):
        """Those of a run do not count when its reference is compiled."""
        self.cetane("run", "scale.dsl", "-DN=4000", "--memory-limit=64M",
                    "--verify=sample")
        self.cetane("run", "scale.dsl", "-DN=4000", "--memory-limit=64M")

    def test_time(self):
        build = ["build", "scale.dsl", "--emit=ptx", "-o", "x.ptx"]
        self.crash("poly_compile", "spin", build, 4, "time limit of 0.2 s",
                   "--time-limit=0.2")

    def test_stages_that_read_back(self):
        for kind, suffix, stage in [("poly", "poly", "poly_parse"),
                                    ("llvm", "ll", "nvptx_read")]:
            file = f"scale.{suffix}"
            self.cetane("build", "scale.dsl", f"--emit={kind}", "-o", file)
            os.mkdir(self.path(stage))
            for how in ["signal", "abort", "exit"]:
                self.cetane("build", file, f"--from={kind}", "-o", "x.ptx",
                            f"--crash-dir={stage}",
                            code=70, says=f"error[{ERROR[how]}]",
                            env={"CETANE_TEST_CRASH": f"{stage}:{how}"})
            made = os.listdir(self.path(stage))
            self.assertEqual(len(made), 3)
            for name in made:
                self.assertIn(self.read(file), self.read(f"{stage}/{name}"))
            self.assertNotIn("x.ptx", self.files())

    def test_no_worker(self):
        p = subprocess.run(["/bin/sh", "-c",
                            'ulimit -n 4; exec "$0" check scale.dsl',
                            command.CETANE], cwd=self.folder.name,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(p.returncode, 3, p.stderr)
        self.assertIn(b"error[E555]: cannot start the worker", p.stderr)

    def test_crash_folder(self):
        os.mkdir(self.path("d"))
        self.cetane("build", "scale.dsl", "--crash-dir=d", code=70,
                    env={"CETANE_TEST_CRASH": "fe_lower:abort"})
        self.assertEqual(len(os.listdir(self.path("d"))), 1)
        self.cetane("build", "scale.dsl", "--crash-dir=no", code=70,
                    says="E552",
                    env={"CETANE_TEST_CRASH": "fe_lower:abort"})

    def test_reproducer_is_a_program(self):
        self.cetane("build", "scale.dsl", code=70,
                    env={"CETANE_TEST_CRASH": "fe_lower:abort"})
        made = [f for f in self.files() if f.startswith("cetane-crash-")]
        first, _ = self.cetane("build", made[0], "--emit=dag")
        self.assertEqual(first, self.cetane("build", "scale.dsl",
                                            "--emit=dag")[0])

    def test_fatal_error_of_llvm(self):
        self.write("log.ll", LOG)
        out, err = self.cetane("build", "log.ll", "--from=llvm", code=70)
        self.assertEqual(out, b"")
        self.assertIn("nvptx_emit_ptx", err)
        made = [f for f in self.files() if f.startswith("cetane-crash-")]
        self.assertEqual(len(made), 1)
        self.assertIn(LOG, self.read(made[0]).decode())

    def test_worker_dies_with_its_parent(self):
        env = dict(os.environ, CETANE_TEST_CRASH="fe_lower:hang")
        p = subprocess.Popen([command.CETANE, "build", "scale.dsl"],
                             cwd=self.folder.name, env=env,
                             stdout=subprocess.PIPE)
        command.wait_for_child(p.pid, "S")
        p.kill()
        p.wait()
        self.assertEqual(p.stdout.read(), b"")
        p.stdout.close()


if __name__ == "__main__":
    command.main()
