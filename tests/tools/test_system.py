"""Calls of the system fail, one at a time: full disks, broken disks, short
writes, interruptions. Outputs are whole and new, or as they were; the exit code
and a message say which.
"""
import errno

import command
import damage

SHORT = "short"
# What each call can fail with.
FAULTS = {
    "open": [errno.EMFILE, errno.EACCES, errno.ENOSPC],
    "mkostemp": [errno.EACCES, errno.ENOSPC, errno.EROFS],
    "memfd_create": [errno.EMFILE, errno.ENOMEM],
    "write": [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EINTR, SHORT],
    "read": [errno.EIO, errno.EINTR, SHORT],
    "lseek": [errno.EIO],
    "fchmod": [errno.EPERM],
    "fsync": [errno.EIO, errno.EDQUOT, errno.EINTR, errno.EINVAL],
    "dup": [errno.EMFILE],
    "close": [errno.ENOSPC, errno.EIO],
    "linkat": [errno.ENOSPC, errno.EACCES, errno.EEXIST],
    "rename": [errno.ENOSPC, errno.EIO, errno.EACCES],
    "unlink": [errno.EACCES],
    "poll": [errno.EINTR],
    "pipe2": [errno.EMFILE],
    "fork": [errno.EAGAIN, errno.ENOMEM],
    "access": [errno.ENOENT],
}
# Calls with these results are made again, or their work is done in another
# way, so that the build succeeds.
HARMLESS = {("write", errno.EINTR), ("write", SHORT), ("poll", errno.EINTR),
            ("linkat", errno.EEXIST), ("fsync", errno.EINTR),
            ("fsync", errno.EINVAL)}
# All bytes of an output go through these.
TELLING = {("write", errno.ENOSPC), ("write", errno.EIO),
           ("write", errno.EDQUOT), ("linkat", errno.ENOSPC),
           ("linkat", errno.EACCES), ("rename", errno.ENOSPC),
           ("rename", errno.EIO), ("rename", errno.EACCES),
           ("fsync", errno.EIO), ("fsync", errno.EDQUOT),
           ("pipe2", errno.EMFILE), ("fork", errno.EAGAIN),
           ("fork", errno.ENOMEM)}


class System(damage.Case):
    runs = 0

    def one(self, args, where, call, n, how, named):
        what = f"{args} {where}:{call}:{n}:{how} {named}"
        code, err = self.damaged(args, f"{where}:{call}:{n}:{how}", named)
        new = self.check_whole(args, what)
        if (call, how) in HARMLESS:
            self.assertEqual(code, 0, what + err)
        if (call, how) in TELLING:
            self.assertEqual(code, 3, what + err)
        if code == 0:
            self.assertEqual(new, len(self.good(args)), what)
            self.assertNotIn("error", err, what)
        else:
            self.assertIn(code, [1, 3], what + err)
            self.assertIn("error[E", err, what)
            # The disk of a folder is asked when its files are in place.
            files = len(self.good(args))
            self.assertEqual(new, n - 1 if call == "rename" else files
                             if call == "fsync" and n > files else 0, what)
        if call != "unlink":
            self.assertEqual(self.hidden(), {}, what)
        System.runs += 1

    def sweep(self, args, named=False, calls=FAULTS):
        for (where, call), count in self.counts(args, named).items():
            if call not in calls:
                continue
            for n in range(1, count + 1):
                for how in FAULTS[call]:
                    self.one(args, where, call, n, how, named)
        self.clear()

    def test_two_files(self):
        self.sweep(damage.DAG)
        self.sweep(damage.DAG, named=True,
                   calls=["mkostemp", "fchmod", "unlink", "rename", "write"])

    def test_object(self):
        if not command.PTXAS:
            self.skipTest("no ptxas")
        self.sweep(damage.OBJECT, calls=["dup", "fsync", "linkat", "rename"])

    def test_standard_output(self):
        self.sweep(damage.STDOUT)

    def test_arrays(self):
        self.sweep(damage.RUN, calls=["dup", "linkat", "rename", "write",
                                      "read", "pipe2", "fork", "poll"])

    def test_disk_stays_full(self):
        """All writes of a process fail."""
        for where in ["parent", "worker"]:
            for how in [errno.ENOSPC, errno.EIO]:
                code, err = self.damaged(damage.DAG,
                                         f"{where}:write:1+:{how}")
                self.assertEqual(code, 3, err)
                self.assertEqual(self.check_whole(damage.DAG, where), 0)
                self.assertEqual(self.hidden(), {})

    def test_disk_tells_on_close(self):
        """One close for each output is to tell whether all was written."""
        args, told = damage.DAG, 0
        for n in range(1, self.counts(args)["parent", "close"] + 1):
            code, err = self.damaged(args, f"parent:close:{n}:"
                                     f"{errno.ENOSPC}")
            told += code == 3 and "No space left" in err
        self.assertEqual(told, len(self.good(args)))

    def test_name_is_taken(self):
        """All temporary names that are tried are."""
        code, err = self.damaged(damage.DAG, f"parent:linkat:1+:"
                                 f"{errno.EEXIST}")
        self.assertEqual(code, 3, err)
        self.assertIn("error[E552]", err)
        self.assertEqual(self.check_whole(damage.DAG, err), 0)

    def test_z_enough(self):
        print(System.runs, "runs")
        self.assertGreaterEqual(System.runs, 200)


if __name__ == "__main__":
    command.main()
