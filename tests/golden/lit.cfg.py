# Golden tests: small programs in, a few CHECK lines on what a stage prints.
# "lit tests/golden[/FILE]" runs them, with the variables of CMakeLists.txt.
import os
import sys

here = os.path.dirname(__file__)
sys.path[:0] = [here, os.path.dirname(here)]
import sampled  # noqa: E402

config.name = "golden"
config.test_format = sampled.Files(True)
config.suffixes = [".dsl", ".poly", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.environ["CETANE_TEST_DIR"]

# The passes see what an architecture has room for, which is the same for most, and
# the width of a type: one of each, and with CETANE_TEST_ARCHS=1 all.
archs, types = "sm_75 sm_86 sm_90a", "HALF FLOAT DOUBLE"
if os.environ.get("CETANE_TEST_ARCHS"):
    archs = "sm_75 sm_80 sm_86 sm_89 sm_90a sm_100 sm_103 sm_120 sm_121"
    types += " INT BFLOAT16 INT8"

llvm = os.environ["CETANE_LLVM_BIN"]
config.substitutions += [
    ("%archs", archs),
    ("%types", types),
    ("%cetane", os.environ["CETANE"]),
    ("%accept", os.path.join(config.test_source_root, "..", "frontend",
                             "accept")),
    ("FileCheck", os.path.join(llvm, "FileCheck")),
    (r"\bnot\b", os.path.join(llvm, "not")),
]
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "HOME",
             "CETANE_DEBUG"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
if os.environ.get("CETANE_TEST_WHOLE"):
    config.available_features.add("whole")
if os.environ.get("CETANE_HAVE_PTXAS"):
    config.available_features.add("ptxas")
