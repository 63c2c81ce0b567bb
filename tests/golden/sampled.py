"""The files of golden/ that run: all, or with $CETANE_TEST_SHARE=N one of N, and those
by which mutants are caught. Where one is named, lit chooses it.
"""
import os

import lit.formats

SHARE = int(os.environ.get("CETANE_TEST_SHARE", "1"))
if os.environ.get("CETANE_TEST_PART"):
    SHARE = 1
if SHARE > 1:
    import part


class Files(lit.formats.ShTest):
    def getTestsInDirectory(self, *args):
        tests = list(super().getTestsInDirectory(*args))
        if SHARE == 1:
            return tests
        return part.sample(tests, lambda t: "/".join(t.path_in_suite), of=SHARE,
                           test="golden")
