"""Of a group of unittest cases only the one in $CETANE_TEST_PART runs."""
import os
import unittest

part = os.environ.get("CETANE_TEST_PART")
if part:
    unittest.defaultTestLoader.testNamePatterns = ["*." + part]
