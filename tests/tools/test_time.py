"""Limits of time: processor time is counted, that of the worker and of all that
it starts, and sleep without end ends; nothing else that the machine does is a
matter.

A test waits for what it has asked for, however long that takes. Where it lets a
second pass, it is right however much longer the second is.
"""
import os
import subprocess
import time
import unittest

import command

PTX = ["build", "fig2.dsl", "--emit=ptx", "-o", "x"]
CUBIN = ["build", "fig2.dsl", "--emit=cubin", "-o", "x"]
SPIN = "while :; do :; done"
SOURCE = """%svoid f(int n, float a[n])
{
	for (int i = 0; i < n; i++)
		a[i] += 1;
}
"""
# What a compilation takes that has nothing special, seconds at most.
ENOUGH = 60 if command.SANITIZED else 10


class Time(command.Case):
    def program(self, name, *lines):
        """An executable shell script; its path."""
        self.write(name, "\n".join(["#!/bin/sh", *lines, ""]))
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def ends(self, args, number, stage, **env):
        """It reaches a limit, and leaves no output."""
        _, err = self.cetane(*args, code=4, env=env)
        self.assertRegex(err, rf"error\[{number}\]: {stage} ")
        self.assertNotIn("x", self.files())
        return err

    def test_work_without_end(self):
        for stage in ["fe_read", "poly_compile", "nvptx_emit_ptx"]:
            err = self.ends(PTX + ["--time-limit=0.7"], "E557", stage,
                            CETANE_TEST_CRASH=f"{stage}:spin")
            self.assertIn("time limit of 0.7 s", err)

    def test_stages_that_read_back(self):
        for kind, stage in [("poly", "poly_parse"), ("llvm", "nvptx_read")]:
            self.cetane("build", "fig2.dsl", f"--emit={kind}", "-o", "in")
            self.ends(["build", "in", f"--from={kind}", "-o", "x",
                       "--time-limit=0.2"], "E557", stage,
                      CETANE_TEST_CRASH=f"{stage}:spin")

    def test_sleep_without_end(self):
        for stage in ["fe_read", "poly_compile", "nvptx_emit_ptx"]:
            err = self.ends(PTX, "E459", stage, CETANE_TEST_SLEEP="0.9",
                            CETANE_TEST_CRASH=f"{stage}:hang")
            self.assertIn("slept for 0.9 s", err)

    def test_time_passes(self):
        """A worker that stands still for longer than it may work."""
        limit = ENOUGH if command.SANITIZED else 1
        p = subprocess.Popen(
            [command.CETANE, *PTX, f"--time-limit={limit}"],
            cwd=self.folder.name, stderr=subprocess.PIPE, env=dict(
                os.environ, CETANE_TEST_CRASH="poly_compile:stop"))
        worker = command.wait_for_child(p.pid, "T")
        time.sleep(limit + 1)
        os.kill(worker, 18)
        self.assertEqual((p.communicate()[1], p.returncode), (b"", 0))
        self.assertIn("x", self.files())

    def test_assembler_works_without_end(self):
        for name, *lines in [["ptxas", SPIN], ["x) R 1 1 1 1", SPIN],
                             ["ptxas", f"sh -c '{SPIN}'", "exit 0"]]:
            self.ends(CUBIN + [f"--time-limit={ENOUGH / 10}"], "E557",
                      "nvptx_assemble",
                      CETANE_PTXAS=self.program(name, *lines))

    def test_assembler_sleeps_without_end(self):
        self.ends(CUBIN, "E459", "nvptx_assemble", CETANE_TEST_SLEEP="0.9",
                  CETANE_PTXAS=self.program("ptxas", "exec sleep 100000"))

    def test_naps(self):
        """Sleep counts in a row: an assembler that works in between.

        The command looks once a second: a nap is seen as sleep at least once.
        """
        work = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"
        nap = ["sleep 2.2", work]
        p = self.run_raw(*CUBIN, env={
            "CETANE_TEST_SLEEP": "3.5",
            "CETANE_PTXAS": self.program("ptxas", *nap * 5, "exit 9")})
        self.assertIn(b"E502", p.stderr)

    def test_preprocessor_sleeps_without_end(self):
        os.mkfifo(self.path("pipe.h"))
        self.write("nest.c", SOURCE % '#include "pipe.h"\n')
        self.ends(["build", "nest.c", "-o", "x"], "E459", "fe_read",
                  CETANE_TEST_SLEEP="0.9")

    def test_sum(self):
        """What has ended counts: no program alone is over the limit."""
        second = f"(ulimit -t 1; {SPIN})"
        self.write("nest.c", SOURCE % "")
        self.ends(["build", "nest.c", "--emit=cubin", "-o", "x",
                   "--time-limit=1.7"], "E557", "nvptx_assemble",
                  CC=self.program("cc", second, 'exec cc "$@"'),
                  CETANE_PTXAS=self.program("ptxas", second, second))

    def test_without_files(self):
        """Where the command may open no more files, it counts all the same."""
        ends = set()
        for n in range(4, 16):
            p = subprocess.run(
                ["/bin/sh", "-c", f'ulimit -n {n}; exec "$0" "$@"',
                 command.CETANE, "check", "fig2.dsl", "--time-limit=0.1"],
                cwd=self.folder.name, stderr=subprocess.PIPE, env=dict(
                    os.environ, CETANE_TEST_CRASH="fe_read:spin"))
            ends.add(p.returncode)
        self.assertEqual(ends, {3, 4})

    def test_limit_of_the_system(self):
        p = subprocess.run(
            ["/bin/sh", "-c", 'ulimit -St 1; exec "$0" "$@"',
             command.CETANE, *PTX], cwd=self.folder.name,
            stderr=subprocess.PIPE, env=dict(
                os.environ, CETANE_TEST_CRASH="poly_compile:spin"))
        self.assertEqual(p.returncode, 4, p.stderr)
        self.assertIn(b"error[E460]: poly_compile ", p.stderr)

    def test_no_limit(self):
        self.cetane(*PTX, "--time-limit=0", env={"CETANE_TEST_SLEEP": "0"})


if __name__ == "__main__":
    command.main()
