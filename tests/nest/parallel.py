#!/usr/bin/env python3
"""Loops of C as programs write them run in parallel.

usage: parallel.py CETANE

Each form is compiled for a million elements, with floats in the order of the text and
in any order. No kernel may have more than MOST operations or words for each of its
threads where the form says so. (That the results are right is for other tests:
against_cc.py has the same forms.)
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

N = 1000000
MOST = 16384

# name: (where it is parallel, threads that are enough, the body of the function);
# "both": in any order of floats and in that of the text
FORMS = {
    "sum": ("reassoc", 0, "for (int i = 0; i < n; i++) s[0] += a[i];"),
    "conditional": ("reassoc", 0,
        "for (int i = 0; i < n; i++) if (a[i] > 0) s[0] += a[i];"),
    "two_sides": ("reassoc", 0, "for (int i = 0; i < n; i++)"
        " if (a[i] > 0) s[0] += a[i]; else s[0] -= b[i];"),
    "terms": ("reassoc", 0,
        "float t = 0; for (int i = 0; i < n; i++) t = t + a[i] - b[i] * c[i];"
        " s[0] = t;"),
    "updates": ("reassoc", 0, "for (int i = 0; i < n; i++) {"
        " y[i] = a[i] * b[i]; s[0] += y[i]; z[i] = a[i] + b[i];"
        " s[0] += z[i]; if (a[i] > b[i]) s[0] += c[i]; }"),
    "product": ("reassoc", 0, "for (int i = 0; i < n; i++) s[0] *= a[i];"),
    "integers": ("both", 0, "for (int i = 0; i < n; i++) {"
        " q[0] = q[0] + k[i] - 3 * i; if (k[i] > 3) q[0] -= 2; }"),
    "largest": ("both", 0, "float m = a[0]; for (int i = 0; i < n; i++)"
        " if (a[i] > m) m = a[i]; s[0] = m;"),
    "choice": ("both", 0, "float m = a[0]; for (int i = 0; i < n; i++)"
        " m = m > a[i] ? m : a[i]; s[0] = m;"),
    "fmax": ("both", 0, "float m = a[0]; for (int i = 0; i < n; i++)"
        " m = fmaxf(m, a[i]); s[0] = m;"),
    "first": ("both", 0, "float m = a[0]; int at = 0;"
        " for (int i = 0; i < n; i++) if (fabsf(a[i]) > m) {"
        " m = fabsf(a[i]); at = i; } s[0] = m; q[0] = at;"),
    "last": ("both", 0, "int m = k[0], at = 0;"
        " for (int i = 0; i < n; i++) if (k[i] <= m) {"
        " m = k[i]; at = i; } q[0] = m + at;"),
    "running": ("reassoc", 0, "float t = 0; for (int i = 0; i < n; i++) {"
        " t += a[i]; y[i] = t; }"),
    "running_integer": ("both", 0, "int t = 0; for (int i = 0; i < n; i++) {"
        " if (k[i] > 0) t++; p[i] = t; } q[0] = t;"),
    "induction": ("reassoc", 0, "float t = 1; for (int i = 0; i < n; i++) {"
        " t += 0.25f; y[i] = t * a[i]; }"),
    "smoothing": ("reassoc", 0, "float t = 1; for (int i = 0; i < n; i++) {"
        " t = 0.875f * t + 0.125f * a[i]; y[i] = t; }"),
    "next_element": ("both", 0, "p[0] = 0;"
        " for (int i = 0; i < n - 1; i++) p[i + 1] = p[i] + k[i];"),
    "wrap_around": ("both", 0, "float t = b[n - 1];"
        " for (int i = 0; i < n; i++) {"
        " y[i] = (b[i] + t) * 0.5f; t = b[i]; }"),
    "wrap_around_twice": ("both", 0, "float t = b[n - 1], u = b[n - 2];"
        " for (int i = 0; i < n; i++) {"
        " y[i] = b[i] + t + u; u = t; t = b[i]; }"),
    "few_cells": ("both", 0,
        "for (int i = 0; i < n; i++) h[i % 64] += k[i];"),
    "distance": ("both", 4,
        "for (int i = 4; i < n; i++) y[i] = y[i - 4] + a[i];"),
    "compaction": ("both", 0, "int m = 0; for (int i = 0; i < n; i++)"
        " if (a[i] > 0) { y[m] = b[i]; p[m++] = i; } q[0] = m;"),
    "in_place": ("both", 0, "p[0] = k[0]; for (int i = 1; i < n; i++)"
        " p[i] = p[i - 1] + k[i]; for (int i = 0; i < n; i++)"
        " y[i] = y[i] * 2 + p[i];"),
    "search": ("both", 0, "int at = -1; for (int i = 0; i < n; i++)"
        " if (k[i] < 0) { at = i; s[0] = 2; break; } q[0] = at;"),
    "until": ("reassoc", 0, "float t = 0; for (int i = 0; i < n; i++) {"
        " if (k[i] < 0) break; t += a[i]; } s[0] = t;"),
    "while": ("both", 0, "int i; for (i = 0; i < n && a[i] > 0; i++)"
        " y[i] = a[i] * 2; q[0] = i;"),
    "rows_left": ("both", 0, "for (int i = 0; i < n; i++) { int t, v = k[i];"
        " for (t = 0; t < 9 && v > 1; t++) v = v & 1 ? 3 * v + 1 : v / 2;"
        " p[i] = t; }"),
    "splitting": ("both", 0, "for (int i = 0; i < n - 1; i++) {"
        " y[i] = z[i] * a[i]; z[i] = y[i] * y[i + 1]; }"),
    "splitting_three": ("both", 0, "for (int i = 0; i < n - 1; i++) {"
        " y[i] = z[i] + a[i] * b[i]; z[i] = a[i] + z[i];"
        " y[i + 1] = z[i] + y[i + 1] * b[i]; }"),
    "splitting_itself": ("both", 0, "for (int i = 0; i < n - 2; i += 2) {"
        " y[i] = y[i + 1] * y[i]; y[i + 1] = y[i + 2] * y[i + 1]; }"),
    "doubling": ("both", 0, "for (int v = 1; v < n; v *= 2) {"
        " for (int i = 0; i < n; i++) z[i] = i < v ? y[i] : y[i] + y[i - v];"
        " for (int i = 0; i < n; i++) y[i] = z[i]; }"),
    "halving": ("both", 0, "for (int v = n / 2; v > 0; v >>= 1)"
        " for (int i = 0; i < v; i++) y[i] += y[i + v];"),
    "goes_on": ("both", 0, "int i; for (i = 0; i < n; i++) {"
        " if (k[i] < 0) break; y[i] = a[i]; }"
        " for (int j = 0; j < i; j++) z[j] = b[j];"
        " for (; i < n; i++) y[i] = c[i]; q[0] = i;"),
    "counted_first": ("both", 0, "int m = -1; for (int i = 0; i < n; i++)"
        " if (a[i] > 0) { m++; y[m] = b[i]; } q[0] = m;"),
    "carried_last": ("both", 0, "float t = 0; for (int i = 0; i < n; i++) {"
        " if (a[i] > 0) t = b[i] * b[i]; y[i] = t * c[i]; }"),
    "last_place": ("both", 0, "int at = -1; for (int i = 0; i < n; i++)"
        " if (a[i] < 0) at = i; q[0] = at;"),
    "private": ("both", 0, "for (int i = 0; i < n; i++) {"
        " float t = a[i] * b[i]; y[i] = t; t = c[i] + t; z[i] = t; }"),
}

HEAD = """#include <math.h>
void form(int n, const float a[n], const float b[n], const float c[n],
	const int k[n], float y[n], float z[n], int p[n], float s[1], int q[1],
	int h[64])
{
	"""


def check(cetane, folder, name, mode):
    """What is wrong, or nothing."""
    where, enough, body = FORMS[name]
    path = os.path.join(folder, "%s_%s.c" % (name, mode))
    with open(path, "w") as f:
        f.write(HEAD + body + "\n}\n")
    done = subprocess.run([cetane, "inspect", path, "--json", "-Dn=%d" % N,
                           "--fp=" + mode], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return "exit %d: %s" % (done.returncode, done.stderr)
    most = 0
    for kernel in json.loads(done.stdout)["kernels"]:
        threads = kernel["blocks"][0] * kernel["blocks"][1] \
            * kernel["block"][0] * kernel["block"][1]
        work = kernel["operations"] + (kernel["bytes_read"] +
                                       kernel["bytes_written"]) / 4
        if enough:
            most = max(most, 0 if threads >= enough else work)
        else:
            most = max(most, work / threads)
    if where in ("both", mode) and most > MOST:
        return "%d operations for a thread" % most
    if where not in ("both", mode) and most <= MOST:
        return "parallel, which is not expected: floats change their order"
    return None


def main():
    cetane = sys.argv[1]
    bad = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(
                len(os.sched_getaffinity(0))) as pool:
        jobs = {(name, mode): pool.submit(check, cetane, folder, name, mode)
                for name in FORMS for mode in ("strict", "reassoc")}
        for (name, mode), job in jobs.items():
            if job.result():
                print("%s, %s: %s" % (name, mode, job.result()))
                bad += 1
    print("%d forms, %d failed" % (len(jobs), bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
