"""cetane.hpp: compiles without a warning, and runs an object on the host device."""
import shutil
import unittest

import linked


class Header(linked.Case):
    @unittest.skipUnless(shutil.which("g++") or shutil.which("clang++"),
                         "no compiler of C++")
    def test_runs(self):
        self.build("mm.dsl", linked.MM, "--arch=sm_80")
        for compiler in filter(shutil.which, ["g++", "clang++"]):
            if linked.SANITIZE and compiler == "clang++":
                continue
            done = self.run_linked("raii.cpp", "-pedantic", "mm.o",
                                   compiler=compiler, standard="c++17")
            self.assertEqual((done.returncode, done.stdout), (0, "right\n"),
                             done.stderr)


if __name__ == "__main__":
    unittest.main()
