"""inspect: sectors and passes of the first warp at each access."""
import re

import command
from inspected import NO_ASSEMBLER, Source, TURN


def passes(places, size):
    """Passes that a warp needs for "size" bytes of each place: parts of the
    warp of at most 128 bytes, in each the fullest of 32 banks.
    """
    group, total, least = 32 * 4 // max(size, 4), 0, 0
    for first in range(0, len(places), group):
        words = {(at + i) // 4 for at in places[first:first + group]
                 for i in range(0, size, 4)}
        banks = [word % 32 for word in words]
        total += max(banks.count(b) for b in banks)
        least += -(-len(words) // 32)
    return total, least


class Access(Source):
    def access(self, facts, array, write=False, kernel=0):
        found = [a for a in facts["kernels"][kernel]["accesses"]
                 if a["array"] == array and a["write"] == write]
        self.assertEqual(len(found), 1, array)
        return found[0]

    def counts(self, *args, **more):
        a = self.access(*args, **more)
        return a["lanes"], a["transactions"], a["least"]

    def test_coalescing(self):
        for element, size in ("FLOAT", 4), ("DOUBLE", 8), ("HALF", 2):
            facts = self.facts(TURN % element, "-D", "M=301", "-D", "N=299")
            self.assertEqual(self.counts(facts, "X"), (32, 32, size))
            self.assertEqual(self.counts(facts, "Y", True), (32, size, size))
        # Rows of 16 bytes: two lanes share a sector.
        facts = self.facts(TURN % "FLOAT", "-D", "M=4", "-D", "N=101")
        self.assertEqual(self.counts(facts, "X"), (32, 16, 16))
        # Lanes write the first of their runs of 16 bytes.
        facts = self.facts(TURN % "FLOAT", "-D", "M=300", "-D", "N=300")
        self.assertEqual(self.counts(facts, "Y", True), (32, 16, 16))
        facts = self.facts(TURN % "FLOAT", "-D", "M=1", "-D", "N=101")
        self.assertEqual(self.counts(facts, "X"), (32, 4, 4))

    def test_runs(self):
        """Lanes of a tiled kernel write the first of their runs."""
        for element, size in ("FLOAT", 4), ("DOUBLE", 8):
            facts, text = self.mapped(element)
            _, (_, thread), _, (_, vec) = self.kernel(text)
            row = min(thread, 32) * size * vec
            sectors = {(lane // thread, lane % thread * size * vec // 32)
                       for lane in range(32)}
            self.assertEqual(self.counts(facts, "E", True),
                             (32, len(sectors), size), row)

    def test_broadcast(self):
        facts = self.facts("Params M, N;\nMatrix A(M,1); Matrix B(M,N);\n"
                           "E = A + B;\nCodeGen(FLOAT, {E});\n")
        self.assertEqual(self.counts(facts, "A"), (32, 1, 1))
        self.assertEqual(self.counts(facts, "B"), (32, 4, 4))

    def mapped(self, element):
        """The facts of a product, and its mapped program as text."""
        facts = self.facts(command.FIG2.replace("FLOAT", element),
                           env=NO_ASSEMBLER)
        out, _ = self.cetane("build", "p.dsl", "--emit=poly")
        return facts, out.decode()

    def kernel(self, text):
        """Tile, threads, depth and runs of the only kernel."""
        m = re.search(r"(?m)^kernel \w+ tiled thread (\d+) (\d+) tile (\d+) "
                      r"(\d+) (\d+)(?: vec (\d+) (\d+))?", text)
        n = [int(x or 1) for x in m.groups()]
        return n[2:4], n[:2], n[4], n[5:]

    def buffer(self, text, name):
        """Columns of a buffer, and what its rows take in memory."""
        m = re.search(rf"(?m)^array {name} .*\((\d+)\)\] }}\"(?: pad (\d+))?",
                      text)
        return int(m[1]), int(m[1]) + int(m[2] or 0)

    def test_banks(self):
        """Against the copies and reads as the mapping has them."""
        for element, size in ("FLOAT", 4), ("HALF", 2), ("DOUBLE", 8):
            facts, text = self.mapped(element)
            tile, thread, depth, vec = self.kernel(text)
            for axis, name in enumerate(("A_shared", "B_shared")):
                columns, row = self.buffer(text, name)
                steps = columns == depth != tile[axis]
                self.assertTrue(steps or columns == tile[axis])
                if re.search(rf"(?m)^  fill 0 coalesce 0.*\n.*\n  write {name}",
                             text):
                    places = [(lane % depth, lane // depth)
                              for lane in range(32)]
                else:
                    places = [(lane // columns, lane % columns)
                              for lane in range(32)]
                want = passes([(r * row + c) * size for r, c in places], size)
                self.assertEqual(self.counts(facts, name, True), (32, *want))
                at = [(lane // thread[1], lane % thread[1])[axis] * vec[axis]
                      for lane in range(32)]
                at = [x * row for x in at] if steps else at
                width = self.access(facts, name)["vector"]
                self.assertEqual(vec[axis] * size % (width * size), 0)
                want = passes([x * size for x in at], width * size)
                self.assertEqual(self.counts(facts, name)[1:], want)


if __name__ == "__main__":
    command.main()
