"""Outputs appear whole or not at all, under the documented names."""
import os
import signal
import stat
import subprocess
import time
import unittest

import command


class Output(command.Case):
    def test_one_file(self):
        self.cetane("build", "fig2.dsl", "--emit=dag", "-o", "x")
        self.assertIn(b"node", self.read("x"))
        mode = os.umask(0)
        os.umask(mode)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("x")).st_mode),
                         0o666 & ~mode)

    def test_stem(self):
        self.cetane("build", "fig2.dsl", "--emit=dag,ptx", "-o", "out")
        self.assertEqual(self.files(), ["fig2.dsl", "out.dag.txt", "out.ptx",
                                        "scale.dsl"])

    def test_folder(self):
        os.mkdir(self.path("d"))
        self.cetane("build", "fig2.dsl", "--emit=dag,ptx", "-o", "d")
        self.cetane("build", "scale.dsl", "--emit=dag", "-o", "d/")
        self.assertEqual(sorted(os.listdir(self.path("d"))),
                         ["fig2.dag.txt", "fig2.ptx", "scale.dag.txt"])

    def test_several_without_o(self):
        self.cetane("build", "fig2.dsl", "--emit=ptx", "--emit=dag,dag")
        self.assertEqual(self.files(), ["fig2.dag.txt", "fig2.dsl",
                                        "fig2.ptx", "scale.dsl"])

    def test_several_on_standard_output(self):
        out, _ = self.cetane("build", "fig2.dsl", "--emit=ptx,dag", "-o", "-")
        ptx, _ = self.cetane("build", "fig2.dsl", "--emit=ptx")
        dag, _ = self.cetane("build", "fig2.dsl", "--emit=dag")
        self.assertEqual(out, ptx + dag)

    def test_failure_keeps_what_was_there(self):
        self.write("old", "old content")
        self.write("bad.dsl", "?")
        self.cetane("build", "bad.dsl", "-o", "old", code=1)
        self.assertEqual(self.read("old"), b"old content")
        for how in ["abort", "exit"]:
            self.cetane("build", "fig2.dsl", "-o", "old", code=70,
                        env={"CETANE_TEST_CRASH": f"nvptx_opt:{how}"})
            self.assertEqual(self.read("old"), b"old content")

    def test_several_all_or_none(self):
        os.mkdir(self.path("x.ptx"))
        self.cetane("build", "fig2.dsl", "--emit=dag,ptx", "-o", "x", code=3,
                    says="error[E552]")
        self.assertNotIn("x.dag.txt", self.files())

    def test_absent_folder(self):
        for path in ["no/x", "fig2.dsl/x", "/proc/x"]:
            self.cetane("build", "fig2.dsl", "-o", path, code=3,
                        says="error[E552]")

    def test_read_only_folder(self):
        os.mkdir(self.path("d"))
        os.chmod(self.path("d"), 0o555)
        if os.geteuid() == 0:
            self.skipTest("root may write anywhere")
        self.cetane("build", "fig2.dsl", "-o", "d/x", code=3, says="E552")

    def test_inputs_stay(self):
        """No output takes the place of what is read, or of another."""
        self.write("flags", "--no-check")
        self.write("config", "cetane-config 1\nprogram fig2\n")
        os.symlink("fig2.dsl", self.path("link"))
        os.mkdir(self.path("d"))
        before = self.files()
        for file, *more in [["fig2.dsl", "-o", "fig2.dsl"],
                            ["fig2.dsl", "-o", "d/../fig2.dsl"],
                            ["link", "-o", "fig2.dsl"],
                            ["link", "-o", "link"],
                            ["fig2.dsl", "@flags", "-o", "flags"],
                            ["fig2.dsl", "--config=config", "-o", "config"],
                            ["fig2.dsl", "-o", "x", "--depfile=fig2.dsl"],
                            ["fig2.dsl", "-o", "x", "--depfile=x"],
                            ["fig2.dsl", "-o", "x", "--depfile=d/../x"]]:
            text = self.read(file)
            self.cetane("build", "--emit=dag", file, *more, code=2,
                        says="error[E611]")
            self.assertEqual(self.read(file), text)
        self.assertEqual(self.files(), before)
        self.cetane("build", "fig2.dsl", "--emit=dag", "-o", "/dev/null",
                    "--depfile=/dev/null")
        self.cetane("build", "fig2.dsl", "--emit=dag", "-o", "d/fig2.dsl")

    def check_link(self, target, *args, link="link"):
        """The output takes the place of a link; what that named stays."""
        os.symlink(target, self.path(link))
        self.cetane(*args)
        self.assertFalse(os.path.islink(self.path(link)))
        os.remove(self.path(link))

    def test_link_is_replaced(self):
        self.write("target", "old")
        os.mkdir(self.path("d"))
        os.mkdir(self.path("f"))
        os.symlink("f", self.path("g"))
        build = "build", "fig2.dsl", "--emit=dag", "-o"
        for target in "target", "absent", "fig2.dsl", "/dev/null", "/dev/full":
            self.check_link(target, *build, "link")
        self.check_link("../target", *build, "g/link", link="g/link")
        self.check_link("../target", *build, "d", link="d/fig2.dag.txt")
        self.check_link("target", *build, "x", "--depfile=link")
        self.check_link("target", "run", "scale.dsl", "-DN=3", "-oY=link")
        self.assertEqual(self.read("target"), b"old")
        self.assertEqual(self.read("fig2.dsl").decode(), command.FIG2)
        self.assertNotIn("absent", self.files())

    def test_journal_is_no_link(self):
        """What is appended to goes through no link."""
        self.write("target", "")
        os.symlink("target", self.path("link"))
        self.cetane("tune", "scale.dsl", "-DN=64", "--resume=link",
                    "--device=cuda", code=3,
                    env={"CETANE_DRIVER": "/none"})
        self.assertEqual(self.read("target"), b"")

    def test_crash_link(self):
        """Nor does a report, whose name can be known before."""
        env = {"CETANE_TEST_CRASH": "fe_lower:abort"}
        self.cetane("build", "fig2.dsl", code=70, env=env)
        name, = [f for f in self.files() if f.startswith("cetane-crash-")]
        os.remove(self.path(name))
        self.write("target", "old")
        os.symlink("target", self.path(name))
        self.cetane("build", "fig2.dsl", code=70, env=env)
        self.assertEqual(self.read("target"), b"old")
        self.assertFalse(os.path.islink(self.path(name)))

    def test_own_streams(self):
        """Names of streams that the command was started with."""
        good, _ = self.cetane("build", "fig2.dsl", "--emit=dag")
        for path in "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
            out, _ = self.cetane("build", "fig2.dsl", "--emit=dag", "-o", path)
            self.assertEqual(out, good)
        _, err = self.cetane("build", "fig2.dsl", "--emit=dag", "-o",
                             "/dev/stderr")
        self.assertEqual(err.encode(), good)
        line = '"$0" build fig2.dsl --emit=dag -o '
        for end, code in ("/dev/fd/7 7>file", 0), ("/dev/stdout >file", 0), (
                "/dev/fd/7", 3), ("/dev/fd/5", 3):
            self.write("file", "old")
            p = subprocess.run(["/bin/sh", "-c", line + end, command.CETANE],
                               cwd=self.folder.name, stderr=subprocess.PIPE)
            self.assertEqual(p.returncode, code, p.stderr)
            self.assertEqual(self.read("file"), b"old" if code else good)
        self.assertTrue(os.path.exists("/dev/stdout"))

    def test_device_stays(self):
        self.cetane("build", "fig2.dsl", "--emit=dag", "-o", "/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_full_device(self):
        self.cetane("build", "fig2.dsl", "--emit=dag", "-o", "/dev/full",
                    code=3, says="error[E552]")
        with open("/dev/full", "wb") as full:
            p = subprocess.run([command.CETANE, "build", "fig2.dsl"],
                               cwd=self.folder.name, stdout=full,
                               stderr=subprocess.PIPE)
            self.assertEqual(p.returncode, 3)
            p = subprocess.run([command.CETANE, "check", "fig2.dsl"],
                               cwd=self.folder.name, stdout=full,
                               stderr=subprocess.PIPE)
            self.assertEqual(p.returncode, 3)

    def test_closed_streams(self):
        for redirect, code in [(">&-", 3), ("2>&-", 0), ("<&-", 0),
                               ("<&- >&- 2>&-", 3)]:
            for verb in ["build", "check"]:
                p = subprocess.run(
                    ["/bin/sh", "-c", f'"$0" {verb} fig2.dsl {redirect}',
                     command.CETANE], cwd=self.folder.name,
                    timeout=command.PATIENCE,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(p.returncode, code, redirect + verb)

    def test_closed_pipe(self):
        read, write = os.pipe()
        os.close(read)
        for args in [["build"], ["build", "-o", "-", "--emit=dag,ptx"],
                     ["check"]]:
            p = subprocess.run([command.CETANE, *args, "fig2.dsl"],
                               cwd=self.folder.name, stdout=write,
                               stderr=subprocess.PIPE, timeout=command.PATIENCE)
            self.assertEqual(p.returncode, 3, args)
            self.assertIn(b"E552", p.stderr)
        os.close(write)
        self.assertEqual(self.files(), ["fig2.dsl", "scale.dsl"])

    def test_ignored_signal_stays_ignored(self):
        env = dict(os.environ, CETANE_TEST_CRASH="fe_lower:hang")
        p = subprocess.Popen([command.CETANE, "build", "fig2.dsl"],
                             cwd=self.folder.name,
                             env=env, stderr=subprocess.PIPE,
                             preexec_fn=lambda: signal.signal(
                                 signal.SIGHUP, signal.SIG_IGN))
        worker = command.wait_for_child(p.pid, "S")
        p.send_signal(signal.SIGHUP)
        os.kill(worker, signal.SIGHUP)
        os.kill(worker, signal.SIGKILL)
        self.assertIn(b"signal 9", p.communicate()[1])
        self.assertEqual(p.returncode, 70)

    def is_open(self, pid):
        """The process has a file in the folder open, with a name or none."""
        for fd in os.listdir(f"/proc/{pid}/fd"):
            try:
                target = os.readlink(f"/proc/{pid}/fd/{fd}")
            except FileNotFoundError:
                continue
            name = os.path.basename(target)
            if target.startswith(self.folder.name + "/") and name[0] in "#.":
                return True
        return False

    def interrupt(self, sig, env):
        """The files while outputs were open, and after the signal."""
        env = dict(os.environ, CETANE_TEST_CRASH="fe_lower:hang", **env)
        p = subprocess.Popen([command.CETANE, "build", "fig2.dsl", "-o", "x"],
                             cwd=self.folder.name, env=env)
        while not self.is_open(p.pid) and p.poll() is None:
            time.sleep(0.01)
        during = self.files()
        p.send_signal(sig)
        self.assertEqual(p.wait(command.PATIENCE), -sig)
        return during, self.files()

    def test_interrupt_leaves_nothing(self):
        before = self.files()
        for sig in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP,
                    signal.SIGKILL]:
            during, after = self.interrupt(sig, {})
            self.assertEqual(during, before)
            self.assertEqual(after, before)

    @unittest.skipIf(command.SANITIZED, "sanitizers go without a preload")
    def test_interrupt_removes_names(self):
        """The same where the file system has no files without a name."""
        before = self.files()
        for sig in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]:
            during, after = self.interrupt(sig, {
                "LD_PRELOAD": os.environ["CETANE_SHIM"], "SHIM_NAMED": "1"})
            self.assertEqual(len(during), 3)
            self.assertEqual(after, before)


if __name__ == "__main__":
    command.main()
