"""The script that measures against PyTorch: what it shares with the verb
bench. What needs a GPU runs by hand.
"""
import importlib.util
import json
import os

import command

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
spec = importlib.util.spec_from_file_location(
    "bench_torch", os.path.join(ROOT, "tests", "gpu", "bench_torch.py"))
bench_torch = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench_torch)


class Torch(command.Case):
    def test_columns(self):
        """The columns are those of the verb, in its order."""
        with open(os.path.join(ROOT, "tools", "bench", "bench_report.c")) as f:
            text = f.read()
        head = text[text.index('"suite\\tform'):]
        head = head[:head.index('\\n"')].replace('"\n\t\t"', "").strip('"')
        self.assertEqual(head.split("\\t"), bench_torch.COLUMNS)

    def test_statistics(self):
        self.assertEqual(bench_torch.median([3, 1, 2]), 2)
        self.assertEqual(bench_torch.median([4, 1, 2, 3]), 2.5)
        ours, theirs = [1.0] * 7, [2, 2, 2, 2, 2, 2, 2.5]
        middle, spread = bench_torch.ratio(theirs, ours)
        self.assertEqual(middle, 2)
        # Of seven values, the interval is from the least to the largest.
        self.assertAlmostEqual(spread, 0.125)
        middle, spread = bench_torch.ratio(theirs * 3, ours * 3)
        self.assertEqual((middle, spread), (2, 0))

    def test_programs(self):
        """Each row's program is accepted, with the sizes given."""
        for name, row in bench_torch.ROWS.items():
            self.write(name + ".dsl", row[0])
            self.cetane("check", name + ".dsl",
                        *["-D%s=%d" % item for item in row[1].items()])

    def test_shapes(self):
        class Ours:
            manifest = json.loads("""{"arrays": [
                {"extents": ["M", "4096"]}, {"extents": [3, "N - 2"]}]}""")
        self.assertEqual(bench_torch.shapes(Ours, {"M": 5, "N": 7}),
                         [[5, 4096], [3, 5]])


if __name__ == "__main__":
    command.main()
