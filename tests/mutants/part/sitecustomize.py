"""Of a group of unittest cases only the one in $CETANE_TEST_PART runs, and with
$CETANE_TEST_FIRST none behind the first that fails.
"""
import os
import unittest
import unittest.runner

part = os.environ.get("CETANE_TEST_PART")
if part:
    unittest.defaultTestLoader.testNamePatterns = ["*." + part]


class Runner(unittest.TextTestRunner):
    def __init__(self, *args, **more):
        super().__init__(*args, **dict(more, failfast=True))


if os.environ.get("CETANE_TEST_FIRST"):
    unittest.runner.TextTestRunner = Runner
