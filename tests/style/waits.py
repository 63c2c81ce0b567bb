#!/usr/bin/env python3
"""No test and no limit depends on how fast the machine is.

usage: waits.py SOURCE-FOLDER

What asks for the time, waits for it, or ends something after a time, in tests/, tools/
and runtime/, stands in ALLOWED with the reason why a slow machine, or one with others
on it, cannot break it: what is counted is processor time, or what ends has no end of
its own (PATIENCE: days), or the figure is only printed. (tests/style/check.py has
the same for the libraries, by the symbols that they call.) An entry whose file asks
for no time any more fails, too.
"""
import os
import re
import sys

PRINTED = "a figure that is printed, and on which nothing depends"
PATIENCE = "a million seconds, after which what has no end of its own is ended"
WORK = "processor time, which others do not take away"
BY_HAND = "no test: run by hand, on a machine of one's own, to measure"
POLLED = "sleeps between two looks, as often as needed"
ALLOWED = {
    "runtime/host/host_stream.c": "events of the host device: " + PRINTED,
    "tests/artifact/clock.c": "a clock that stands still, for outputs alike in bytes",
    "tests/artifact/compile_times.py": BY_HAND,
    "tests/artifact/test_bytes.py": "sleeps until dates of files differ: longer is well",
    "tests/fuzz/arguments.py": WORK + "; for what sleeps, " + PATIENCE,
    "tests/fuzz/differ.c": "see differ_ways.c",
    "tests/fuzz/differ_ways.c": WORK + "; on a GPU alone the time of a wall clock",
    "tests/fuzz/differential.py": "what is not begun when --seconds are over is left "
                                  "out and told; the suite gives none; --limit: an hour",
    "tests/fuzz/option_pairs.py": PATIENCE,
    "tests/fuzz/run": BY_HAND,
    "tests/fuzz/schedules.py": "as differential.py: what is not begun is left out",
    "tests/fuzz/shrinking.py": "a failure is made smaller for as long as there is time",
    "tests/fuzz/test_differential.py": "programs without end, whose end is waited for; "
                                       + POLLED,
    "tests/gpu/object.c": BY_HAND,
    "tests/gpu/polybench": BY_HAND,
    "tests/gpu/polybench.c": BY_HAND,
    "tests/gpu/programs": BY_HAND,
    "tests/limits/test_limits.py": WORK,
    "tests/mutants/run": WORK + "; for what sleeps, half an hour",
    "tests/names/names.py": PATIENCE,
    "tests/nest/polybench.py": PRINTED,
    "tests/python/gpu.py": BY_HAND,
    "tests/rows/bench.py": BY_HAND,
    "tests/run/random_programs.py": "as differential.py: the suite gives no --seconds; "
                                    "what shrinks a failure takes its time",
    "tests/runtime/host/test_launch.c": WORK + ", the least of many rounds",
    "tests/style/check.py": "names them",
    "tests/style/waits.py": "names them",
    "tests/tools/command.py": PATIENCE + "; " + POLLED,
    "tests/tools/damage.py": PATIENCE,
    "tests/tools/sites.c": WORK,
    "tests/tools/test_api_process.c": "a worker that sleeps for ever, and is ended",
    "tests/tools/test_bench.py": PATIENCE,
    "tests/tools/test_color.py": PATIENCE,
    "tests/tools/test_kill.py": "killed at any time: each is as good as another; "
                                + PATIENCE,
    "tests/tools/test_output.py": PATIENCE + "; " + POLLED,
    "tests/tools/test_time.py": "sleeps that are to be seen as such, however long they "
                                "become; work is " + WORK,
    "tests/tools/test_worker.py": POLLED,
    "tools/bench/bench.c": "what bench is for: measures, and prints",
    "tools/bench/bench_cuda.c": "the clock rate of a GPU, which is printed",
    "tools/bench/bench_rounds.c": "lets a GPU cool down between rounds",
    "tools/bench/bench_verify.c": PRINTED,
    "tools/lib/base/stage.c": "times of stages, which are printed; looks once a second",
    "tools/lib/base/used.c": WORK,
    "tools/lib/worker/worker.c": "when to look at the worker next; what ends it is "
                                 + WORK,
}
PYTHON = re.compile(
    r"\btime\.(?:sleep|monotonic|time|perf_counter|process_time)|\btimeout=|RLIMIT_CPU|"
    r"threading\.Timer|signal\.alarm|setitimer|\bsleep \d")
C = re.compile(
    r"\b(?:clock_gettime|gettimeofday|nanosleep|usleep|sleep|alarm|setitimer|"
    r"timer_create|pthread_cond_timedwait|sem_timedwait|tool_now|tool_used|"
    r"tool_group_used|clock|time|getrusage)\(|RLIMIT_CPU|\bsleep \d")


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def waits(path):
    """The first line of a source that waits, or asks for the time; or None."""
    try:
        with open(path, encoding="utf-8") as f:
            text = f.read()
    except UnicodeDecodeError:
        return None
    is_c = path.endswith(".c")
    if not is_c and not path.endswith(".py") and not text.startswith("#!"):
        return None
    found = (C if is_c else PYTHON).search(without_comments(text) if is_c else text)
    return found and found[0]


def check(root):
    """What is wrong, a line each."""
    found = {}
    for top in ("tests", "tools", "runtime"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                path = os.path.join(folder, name)
                what = None if os.path.islink(path) else waits(path)
                if what:
                    found[os.path.relpath(path, root)] = what
    return ["%s: %s: say in tests/style/waits.py why a slow machine cannot break it" % (
        path, found[path]) for path in sorted(set(found) - set(ALLOWED))] + [
            "%s: asks for no time, but tests/style/waits.py says so" % path
            for path in sorted(set(ALLOWED) - set(found))]


if __name__ == "__main__":
    wrong = check(sys.argv[1])
    print("\n".join(wrong) or "all that waits can wait")
    sys.exit(1 if wrong else 0)
