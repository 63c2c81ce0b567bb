"""The command, or its worker, is killed with SIGKILL at 200 moments of a build:
before and after each of its calls of the system, at requests for memory, and at
any time. Each output is whole, new or as it was; nothing hidden stays, but in
the moment between a file's temporary name and its last; the next build is
right.
"""
import random
import time

import command
import damage


class Kill(damage.Case):
    moments = 0

    def check(self, args, code, what, named=False):
        self.check_whole(args, what)
        new = self.good(args).values() if not named else None
        for name, content in self.hidden().items():
            self.assertTrue(named or content in new, f"{what}: {name}")
            self.assertTrue(name.startswith(".x."), f"{what}: {name}")
        if code != 0:
            Kill.moments += 1

    def sweep(self, args, calls, where, expected, named=False):
        """Kill at each of "calls", a list of (call, n)."""
        for call, n in calls:
            for how in ["kill", "killed"]:
                what = f"{args} {where}:{call}:{n}:{how}"
                code, err = self.damaged(args, f"{where}:{call}:{n}:{how}",
                                         named)
                self.assertIn(code, expected, what + err)
                self.check(args, code, what, named)
        self.check_next(args)

    def every_call(self, args, named=False):
        n = self.counts(args, named)["parent", "system"]
        return [("system", i) for i in range(1, n + 1)]

    def some_requests(self, args, where, n):
        most = self.counts(args)[where, "malloc"]
        draw = random.Random(n)
        return [("malloc", draw.randint(1, most)) for _ in range(n)]

    def test_parent_of_object(self):
        if not command.PTXAS:
            self.skipTest("no ptxas")
        calls = self.every_call(damage.OBJECT)
        self.sweep(damage.OBJECT, calls[len(calls) // 3:], "parent",
                   [damage.KILLED])

    def test_parent(self):
        self.sweep(damage.DAG, self.every_call(damage.DAG), "parent",
                   [damage.KILLED])

    def test_parent_with_names(self):
        self.sweep(damage.DAG, self.every_call(damage.DAG, True), "parent",
                   [damage.KILLED], named=True)

    def test_worker(self):
        for args in [damage.DAG, damage.STDOUT]:
            self.sweep(args, self.some_requests(args, "worker", 12),
                       "worker", [70])
            self.assertEqual(self.hidden(), {})

    def test_any_time(self):
        """From outside, at a random time."""
        draw = random.Random(1)
        args, begin = damage.DAG, time.monotonic()
        self.good(args)
        span = time.monotonic() - begin
        for i in range(30):
            self.clear()
            for name in self.good(args):
                self.write(name, b"old")
            with self.start(args) as p:
                time.sleep(draw.uniform(0, span))
                p.kill()
                p.communicate(timeout=command.PATIENCE)
            self.check(args, damage.KILLED, f"time {i}")
        self.check_next(args)

    def test_z_enough(self):
        print(Kill.moments, "moments")
        self.assertGreaterEqual(Kill.moments, 200)


if __name__ == "__main__":
    command.main()
