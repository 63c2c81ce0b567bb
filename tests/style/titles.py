"""Check the titles of commits: at most 72 characters, without a full stop.

usage: titles.py SOURCE

Older commits than SINCE have 36 titles that are longer. A clone that has no history of
its own, as an archive, has nothing to check; a shallow one has its own few.
"""
import subprocess
import sys

SINCE = "2026-11-28T13:00:00"
MOST = 72


def main():
    p = subprocess.run(["git", "-C", sys.argv[1], "log", "--no-merges",
                        "--since=" + SINCE, "--format=%h %s"],
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                       text=True)
    if p.returncode:
        print("no history: nothing is checked")
        return 77
    wrong = 0
    for line in p.stdout.splitlines():
        commit, title = line.split(" ", 1)
        if len(title) > MOST or title.endswith("."):
            print("%s: %d characters: %s" % (commit, len(title), title))
            wrong += 1
    print("%d titles, %d wrong" % (len(p.stdout.splitlines()), wrong))
    return 1 if wrong else 0


sys.exit(main())
