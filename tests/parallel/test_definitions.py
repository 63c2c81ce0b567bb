#!/usr/bin/env python3
"""Functions among other definitions: what index notation makes of calls. Of whole
files: which definitions they become.

usage: test_definitions.py CETANE
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "promises"))
from programs import Bench, Wrong, gives, refuses, says  # noqa: E402

STEP = "float step(float x) { return x > 0.5 ? x * 2 : -x; }\n"
PRODUCT = """int[][] product(int[][] a, int[][] b) {
	int[][] turned = transpose(b);
	return for (int[] row : a) {
		return for (int[] column : turned) {
			int[] both = zip_with(*, row, column);
			return reduce(+, 0, both);
		};
	};
}
"""
HOISTED = """int[][] hoisted(int[] xs, int[] ys, int[] zs) {
	return for (int x : xs) {
		int y = reduce(*, 1, ys);
		return for (int z : zs) { return x * y + z % y; };
	};
}
"""
CASES = [
    # Views have no storage; lengths that agree are one size, and either names it.
    says(PRODUCT, "1 definition: i32 result[a_0,b_1]", "3 params: a_0 a_1 b_1",
         suffix=".dag"),
    says(PRODUCT, "result i32[2,4]", suffix=".dag", verb="run",
         options=["-Da_0=2", "-Db_0=3", "-Db_1=4"]),
    # What does not depend on a loop is computed once.
    says(HOISTED, "2 definitions: i32 y[] i32 result[xs_0,zs_0]",
         suffix=".dag"),
    # What is returned is not copied; a size that only data need is none.
    says("int[] f(int[] xs, int k) { int[] ys = scan(+, 0, xs); "
         "int[] zs = scan(max, k, ys); return zs; }",
         "i32 k[]", "2 definitions: i32 scan[xs_0] i32 result[xs_0]",
         suffix=".dag"),
    says("int[] f(int[] xs, int k) { return for (int i : range(k)) "
         "{ return xs[i]; }; }", "2 params: xs_0 k", suffix=".dag"),
    # What only the sizes decide is told when they are given.
    refuses("int[] f(int[] xs, int k) { return for (int i : range(k)) "
            "{ return xs[i]; }; }", "E286", "xs_0-k >= 0", suffix=".dag",
            verb="run", options=["-Dxs_0=3", "-Dk=4"]),
    # Comments of both notations, brackets in comments, any order.
    gives("""# a comment { of one notation
param N;
tensor f32 x(N);
out y(i) = step(x(i)) + step(0.25);   // ( and of both
/* float not_this(float x) { */
float step(float x) { /* ; } */ return x > 0.5 ? x * 2 : -x; // }
}
""", {"y": [1.75, -0.5]}, {"N": 2}, {"x": [1.0, 0.25]}),
    gives(STEP + "tensor f32 a(3); s() = sum(i: step(a(i)));",
          {"s": 3.75}, {}, {"a": [1.0, 0.25, 1.0]}),
    # Structures and calls inside of functions, which may not be seen outside.
    gives("""struct pair { int a; int b; };
pair swap(pair p) { return struct pair { a = p.b; b = p.a; }; }
int first(int a, int b) { return swap(struct pair { a = a; b = b; }).a; }
out y(i) for 0 <= i < 4 = first(i, 10 * i) + first(1, 2);
""", {"y": [2, 12, 22, 32]}),
    # Beside a matrix and a nest.
    gives("""Matrix A(2,2);
nest twice(param n, f32 x[n]) { for (int i = 0; i < n; i++) x[i] *= 2; }
float half(float x) { return x / 2; }
B = A * A;
tensor f32 v(2);
twice(v);
out y(i) = half(B(i,0)) + v(i);
""", {"y": [5.5, 7.5]}, {}, {"A": [[1, 2], [3, 4]], "v": [1, 0]}),
    # A narrow type wraps where it is returned.
    gives("i8 add(i8 a, i8 b) { return a + b; }\n"
          "out y() = i32(add(100, 100)) * 2;", {"y": -112}),
    refuses(STEP + "tensor f64 x(3); y(i) = step(x(i));", "E274 2:30",
            "f32", "f64"),
    refuses(STEP + "tensor f32 x(3); y(i) = step(x(i), 1);", "E113 2:25"),
    refuses(STEP + "tensor f32 x(3); y(i) = steps(x(i));", "E201 2:25"),
    refuses(STEP + "tensor f32 step(3); y(i) = step(i);", "E203"),
    refuses("float f(float x) { return f(x); }\ny() = f(1.0);", "E279 1:27"),
    refuses("float floor(float x) { return x; }\ny() = floor(1.5);",
            "E204 1:7"),
    refuses("int f(int n) { return reduce(+, n, range(3)); }\ny() = f(3);",
            "E129 1:23"),
    refuses("int f(int n) { return reduce(+, 0, range(n)); }\ny() = f(3);",
            "E289 1:42"),
    refuses("int f(int[] n) { return n[0]; }\ntensor i32 x(2); y() = f(x(0));",
            "E129 2:26"),
    refuses("int f(int n) { return n }\ny() = f(3);", "E107 1:25"),
]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(sys.argv[1], folder)
        for i, case in enumerate(CASES):
            try:
                case(bench)
            except Wrong as e:
                failed += 1
                print("case %d: %s" % (i, e))
    print("%d cases, %d failed" % (len(CASES), failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
