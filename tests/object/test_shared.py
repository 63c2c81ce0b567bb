"""What the images of an object share: the schedule, where it is one for both targets, and
the code, where both have the same. --time-passes tells how often each stage runs.
"""
import os
import sys
import unittest

SOURCE = os.environ.get("CETANE_SOURCE", os.path.abspath("."))
sys.path.insert(0, os.path.join(SOURCE, "tests", "tools"))
import command  # noqa: E402

PRODUCT = ("Params M, N, K;\nMatrix A(M,K);\nMatrix B(K,N);\nC = A * B;\n"
           "CodeGen(%s, {C});\n")
SIZES = "-DM=512", "-DN=512", "-DK=512"
ROWS = ("param M, N;\ntensor f32 x(M,N);\nm(i) max= x(i,j);\n"
        "out y(i,j) = x(i,j) - m(i);\n")


class Shared(command.Case):
    def stages(self, text, *args):
        """How often the passes ran, and how often programs were lowered."""
        self.write("p.dsl", text)
        said = self.cetane("build", "p.dsl", "--emit=object", "--time-passes",
                           *args)[1].split()
        return said.count("poly_compile"), said.count("nvptx_lower")

    def test_all(self):
        """The host, a chip and its architecture: nothing belongs to the chip."""
        self.assertEqual(self.stages(PRODUCT % "FLOAT", *SIZES), (1, 2))

    def test_unit(self):
        """The chip has a unit of its own, and its architecture another schedule."""
        self.assertEqual(self.stages(PRODUCT % "HALF", *SIZES), (2, 3))

    def test_clusters(self):
        """What blocks tell one another depends on the version of PTX."""
        self.assertEqual(self.stages(ROWS, "-DM=64", "-DN=131072"), (1, 3))

    def test_versions(self):
        """Versions are shared, too."""
        self.assertEqual(self.stages(ROWS, "--versions=4"), (1, 2))

    def test_other(self):
        """Another chip has its own schedule, and is its own architecture."""
        self.assertEqual(self.stages(PRODUCT % "FLOAT", *SIZES, "--arch=sm_80"),
                         (2, 2))


if __name__ == "__main__":
    unittest.main()
