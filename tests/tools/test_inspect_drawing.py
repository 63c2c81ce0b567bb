"""inspect --schedule and --layout: trees and layouts, as text and as drawings."""
import math
import re
from xml.etree import ElementTree

import command
from inspected import CHAIN, STEPS, Source


class Drawing(Source):
    def test_schedule(self):
        out, _ = self.cetane("inspect", "fig2.dsl", "--schedule")
        tree, _ = self.cetane("build", "fig2.dsl", "--emit=schedule")
        self.assertEqual(out, tree)
        self.cetane("inspect", "fig2.dsl", "--schedule", "--json", code=2,
                    says="--schedule")

    def test_two_schedules(self):
        """Both texts come back from the marks, and no more lines could be kept."""
        args = "inspect", "fig2.dsl", "--schedule"
        trees = [self.cetane(*args, *more)[0].decode() for more in (
            [], ["-DK=64"], ["-DM=4096", "-DN=4096", "-DK=4096"],
            ["--map=naive"])]
        self.assertGreaterEqual(len(set(trees)), 3)
        for was in trees + ["", "one line without an end"]:
            self.write("before", was)
            out = self.cetane(*args, "--against=before")[0].decode()
            lines = out.splitlines()
            old, new = was.splitlines(), trees[0].splitlines()
            self.assertEqual([s[2:] for s in lines if s[:2] in ("  ", "- ")], old)
            self.assertEqual([s[2:] for s in lines if s[:2] in ("  ", "+ ")], new)
            most = [0] * (len(new) + 1)
            for one in old:
                last = most[:]
                for k, other in enumerate(new):
                    most[k + 1] = last[k] + 1 if one == other else max(
                        last[k + 1], most[k])
            self.assertEqual(sum(s[:2] == "  " for s in lines), most[-1])
        self.cetane(*args, "--against=absent", code=1, says="absent")
        self.cetane("inspect", "fig2.dsl", "--against=before", code=2,
                    says="goes with --schedule")
        self.write("before", "\n" * 4001)
        self.cetane(*args, "--against=before", code=1, says="4000 lines")

    def test_drawing(self):
        """A box for each node of the schedule tree, each with its parent."""
        self.write("chain.dsl", CHAIN)
        args = "inspect", "chain.dsl", "--schedule"
        text = self.cetane(*args)[0].decode()
        root = ElementTree.fromstring(self.cetane(*args, "--svg")[0])
        nodes = re.findall(
            r"(?m)^ *((?:domain|context|band|filter|mark|sequence|set)\b.*)$",
            text)
        boxes = root.findall("{*}g")
        self.assertEqual([box.find("{*}title").text.split("\n")[0]
                          for box in boxes], nodes)
        self.assertEqual(len(root.findall("{*}path")), len(nodes) - 1)
        shown = [line.strip() for line in text.splitlines()]
        for box in boxes:
            for line in box.findall("{*}text"):
                part = line.text.removesuffix(" ...")
                self.assertTrue(any(s.startswith(part) for s in shown), part)

    def layouts(self, name, *args):
        """Kernel -> layout -> point -> place, as --layout prints them."""
        kernels, runs = {}, 0
        for line in self.cetane("inspect", name, "--layout",
                                *args)[0].decode().splitlines():
            if line.startswith("kernel "):
                layouts = kernels[line.split()[1].rstrip(":")] = {}
            elif not line.startswith("    "):
                points = layouts[line.split(":")[0].strip()] = {}
            for point, place in re.findall(r"\[([^]]*)\] ([^,]+)",
                                           line[4:] if line[:4] == "    "
                                           else ""):
                *at, last = point.split(", ")
                first, _, end = last.partition("..")
                at = [int(i) for i in at]
                runs += 1
                for i in range(int(first), int(end or first) + 1):
                    points[(*at, i)] = place, i - int(first)
        return kernels, runs

    def test_layout(self):
        """Threads and registers of points, and bytes of buffers, as thread, tile
        and vec of the kernel and extents of the buffers say.
        """
        self.write("chain.dsl", CHAIN)
        kernels, runs = self.layouts("chain.dsl")
        poly = self.cetane("build", "chain.dsl", "--emit=poly", "-o",
                           "-")[0].decode()
        tiles = re.findall(r"(?m)^kernel (\w+) tiled thread (\d+) (\d+) tile "
                           r"(\d+) (\d+) \d+ vec (\d+) (\d+)", poly)
        self.assertTrue(tiles)
        for name, *numbers in tiles:
            t0, t1, m, n, v0, v1 = map(int, numbers)
            points = kernels[name]["points"]
            self.assertEqual(len(points), m * n)
            for (p0, p1), (place, further) in points.items():
                thread, first = re.match(r"t(\d+) r(\d+)", place).groups()
                r0, r1 = divmod(int(first) + further, n // t1)
                i, j = divmod(int(thread), t1)
                self.assertEqual((p0, p1), (
                    r0 // v0 * t0 * v0 + i * v0 + r0 % v0,
                    r1 // v1 * t1 * v1 + j * v1 + r1 % v1))
        buffers = re.findall(r'(?m)^array (\w+) f32 temp shared "\{ \w+\['
                             r'([^]]*)\] \}"(?: pad (\d+))?', poly)
        self.assertTrue(buffers)
        for name, extents, pad in buffers:
            sizes = [int(i.strip("()")) for i in extents.split(", ")]
            own = [k[name] for k in kernels.values() if name in k]
            self.assertTrue(own)
            self.assertEqual(len(own[0]), math.prod(sizes))
            sizes[-1] += int(pad or 0)
            for point, (place, further) in own[0].items():
                at = 0
                for i, size in zip(point, sizes):
                    at = at * size + i
                self.assertEqual(place, "byte %d" % (4 * (at - further)))
        root = ElementTree.fromstring(self.cetane(
            "inspect", "chain.dsl", "--layout", "--svg")[0])
        boxes = root.findall("{*}g")
        self.assertEqual(len(boxes), runs)
        for box in boxes:
            rect = box.find("{*}rect")
            for at, size, whole in ("x", "width", "width"), ("y", "height",
                                                             "height"):
                self.assertLessEqual(float(rect.get(at)) + float(
                    rect.get(size)), float(root.get(whole)))

    def check_boxes(self, name, *args):
        """Every text ends inside of its box, in any font."""
        root = ElementTree.fromstring(self.cetane(
            "inspect", name, "--schedule", "--svg", *args)[0])
        whole = float(root.get("width")), float(root.get("height"))
        for box in root.findall("{*}g"):
            rect = box.find("{*}rect")
            x, y, width, height = (float(rect.get(key)) for key in
                                   ("x", "y", "width", "height"))
            self.assertLessEqual(x + width, whole[0])
            self.assertLessEqual(y + height, whole[1])
            for text in box.findall("{*}text"):
                left, base = float(text.get("x")), float(text.get("y"))
                length = float(text.get("textLength"))
                self.assertEqual(text.get("lengthAdjust"), "spacingAndGlyphs")
                # Not narrower than a font of this size can be read.
                self.assertGreater(length, 6.5 * len(text.text))
                self.assertGreaterEqual(left, x)
                self.assertLessEqual(left + length, x + width)
                self.assertGreaterEqual(base - 11, y)
                self.assertLessEqual(base + 4, y + height)

    def test_boxes(self):
        self.write("chain.dsl", CHAIN)
        self.write("long.dsl", re.sub(r"\b([TZ])\b",
                                      lambda m: m[1] * 60, CHAIN))
        self.write("steps.c", STEPS)
        for name in "fig2.dsl", "chain.dsl", "long.dsl", "steps.c":
            self.check_boxes(name)


if __name__ == "__main__":
    command.main()
