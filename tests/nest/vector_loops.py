#!/usr/bin/env python3
"""The loops by which compilers are asked what they vectorise.

usage: vector_loops.py CETANE [--share=N] [NAME...]

Each loop of the TSVC suite, by the name that it has there, in words of our own. At a
million elements, with floats in the order of the text and in any order, no thread of a
kernel may have more than MOST operations or words, but for those of IN_ORDER; and at
small sizes the result must have the bits that the system's compiler gives. --share: one
of N of the loops.
"""
import array
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import against_cc
import part

N, M = 1000000, 1000
MOST = 65536

HEAD = """#include <math.h>
%s
void form(int n, int m, float a[n], float b[n], float c[n], float d[n],
	float e[n], float A[m][m], float B[m][m], float C[m][m], float f[m * m],
	const int k[n], float s[1], int q[1], float t, int h)
{
	%s
}
"""
# What runs in one thread, or compares each element with each: in the order of the text,
# or in any order, too. s118, s222: each step needs the last one, by products.
IN_ORDER = {
    "strict": "s311 s31111 s312 s313 s317 s319 s352 s453 s3111 s3112 s4115 "
              "s4116".split(),
    "both": "s118 s123 s141 s221 s222 s242 s257 s321 s322 s323 s343".split(),
}
# What is refused: a subscript that two variables make which each need the other.
REFUSED = "s128".split()
# Each element is updated where data tell; inspect counts what could be.
SCATTERED = "s491 s4113 vas".split()

# Units in the last place by which functions may differ from those of the C library.
ULP = {"s451": 4}

# name: body; or (body, what stands in front of the function, a size)
LOOPS = {
    "s000": "for (int i = 0; i < n; i++) a[i] = b[i] + 1;",
    "s111": "for (int i = 1; i < n; i += 2) a[i] = a[i - 1] + b[i];",
    "s1111": "for (int i = 0; i < n / 2; i++) a[2 * i] = c[i] * b[i] + d[i] * "
        "b[i] + c[i] * c[i] + d[i] * b[i] + d[i] * c[i];",
    "s112": "for (int i = n - 2; i >= 0; i--) a[i + 1] = a[i] + b[i];",
    "s1112": "for (int i = n - 1; i >= 0; i--) a[i] = b[i] + 1;",
    "s113": "for (int i = 1; i < n; i++) a[i] = a[0] + b[i];",
    "s1113": "for (int i = 0; i < n; i++) a[i] = a[n / 2] + b[i];",
    "s114": "for (int i = 0; i < m; i++) for (int j = 0; j < i; j++) A[i][j] = "
        "A[j][i] + B[i][j];",
    "s115": "for (int j = 0; j < m; j++) for (int i = j + 1; i < m; i++) b[i] "
        "-= A[j][i] * b[j];",
    "s1115": "for (int i = 0; i < m; i++) for (int j = 0; j < m; j++) A[i][j] = "
        "A[i][j] * C[j][i] + B[i][j];",
    "s116": "for (int i = 0; i < n - 5; i += 5) { a[i] = a[i + 1] * a[i]; a[i + "
        "1] = a[i + 2] * a[i + 1]; a[i + 2] = a[i + 3] * a[i + 2]; a[i + 3] "
        "= a[i + 4] * a[i + 3]; a[i + 4] = a[i + 5] * a[i + 4]; }",
    "s118": "for (int i = 1; i < m; i++) for (int j = 0; j < i; j++) a[i] += "
        "B[j][i] * a[i - j - 1];",
    "s119": "for (int i = 1; i < m; i++) for (int j = 1; j < m; j++) A[i][j] = "
        "A[i - 1][j - 1] + B[i][j];",
    "s1119": "for (int i = 1; i < m; i++) for (int j = 0; j < m; j++) A[i][j] = "
        "A[i - 1][j] + B[i][j];",
    "s121": "for (int i = 0; i < n - 1; i++) { int j = i + 1; a[i] = a[j] + "
        "b[i]; }",
    "s122": "int j = 1, v = 0; for (int i = 2; i < n; i += 3) { v += j; a[i] += "
        "b[n - v]; }",
    "s123": "int j = -1; for (int i = 0; i < n / 2; i++) { j++; a[j] = b[i] + "
        "d[i] * e[i]; if (c[i] > 0) { j++; a[j] = c[i] + d[i] * e[i]; } }",
    "s124": "int j = -1; for (int i = 0; i < n; i++) { if (b[i] > 0) { j++; "
        "a[j] = b[i] + d[i] * e[i]; } else { j++; a[j] = c[i] + d[i] * "
        "e[i]; } }",
    "s125": "int v = -1; for (int i = 0; i < m; i++) for (int j = 0; j < m; "
        "j++) { v++; f[v] = A[i][j] + B[i][j] * C[i][j]; }",
    "s126": "int v = 1; for (int i = 0; i < m; i++) { for (int j = 1; j < m; "
        "j++) { B[j][i] = B[j - 1][i] + f[v - 1] * C[j][i]; ++v; } ++v; }",
    "s127": "int j = -1; for (int i = 0; i < n / 2; i++) { j++; a[j] = b[i] + "
        "c[i] * d[i]; j++; a[j] = b[i] + d[i] * e[i]; }",
    "s128": "int j = -1; for (int i = 0; i < n / 2; i++) { int v = j + 1; a[i] "
        "= b[v] - d[i]; j = v + 1; b[v] = a[i] + c[v]; }",
    "s131": "int w = 1; for (int i = 0; i < n - 1; i++) a[i] = a[i + w] + b[i];",
    "s132": "int w = 0, j = w, v = w + 1; for (int i = 1; i < m; i++) A[j][i] = "
        "A[v][i - 1] + b[i] * c[1];",
    "s141": "for (int i = 0; i < m; i++) { int v = (i + 1) * i / 2 + i; for "
        "(int j = i; j < m; j++) { f[v] += B[j][i]; v += j + 1; } }",
    "s151": ("add(n - 1, a, b, 1);",
        "static void add(int n, float *a, float *b, int w) { for (int i = "
        "0; i < n; i++) a[i] = a[i + w] + b[i]; }", ""),
    "s152": ("for (int i = 0; i < n; i++) { b[i] = d[i] * e[i]; more(a, b, c, "
        "i); }",
        "static void more(float *a, float *b, float *c, int i) { a[i] += "
        "b[i] * c[i]; }", ""),
    "s161": "for (int i = 0; i < n - 1; i++) { if (b[i] < 0) goto other; a[i] = "
        "c[i] + d[i] * e[i]; goto done; other: c[i + 1] = a[i] + d[i] * "
        "d[i]; done: ; }",
    "s1161": "for (int i = 0; i < n - 1; i++) { if (c[i] < 0) goto other; a[i] = "
        "c[i] + d[i] * e[i]; goto done; other: b[i] = a[i] + d[i] * d[i]; "
        "done: ; }",
    "s162": ("if (h > 0) for (int i = 0; i < n - h; i++) a[i] = a[i + h] + b[i] "
        "* c[i];",
        "", "h=1"),
    "s171": ("for (int i = 0; i < n / h; i++) a[i * h] += b[i];",
        "", "h=1"),
    "s172": ("for (int i = h - 1; i < n; i += h) a[i] += b[i];",
        "", "h=1"),
    "s173": "int v = n / 2; for (int i = 0; i < n / 2; i++) a[i + v] = a[i] + "
        "b[i];",
    "s174": ("for (int i = 0; i < h; i++) a[i + h] = a[i] + b[i];",
        "", "h=500000"),
    "s175": ("for (int i = 0; i < n - h; i += h) a[i] = a[i + h] + b[i];",
        "", "h=1"),
    "s176": "for (int j = 0; j < m / 2; j++) for (int i = 0; i < m / 2; i++) "
        "a[i] += b[i + m / 2 - j - 1] * c[j];",
    "s211": "for (int i = 1; i < n - 1; i++) { a[i] = b[i - 1] + c[i] * d[i]; "
        "b[i] = b[i + 1] - e[i] * d[i]; }",
    "s212": "for (int i = 0; i < n - 1; i++) { a[i] *= c[i]; b[i] += a[i + 1] * "
        "d[i]; }",
    "s1213": "for (int i = 1; i < n - 1; i++) { a[i] = b[i - 1] + c[i]; b[i] = "
        "a[i + 1] * d[i]; }",
    "s221": "for (int i = 1; i < n; i++) { a[i] += c[i] * d[i]; b[i] = b[i - 1] "
        "+ a[i] + d[i]; }",
    "s1221": "for (int i = 4; i < n; i++) b[i] = b[i - 4] + a[i];",
    "s222": "for (int i = 1; i < n; i++) { a[i] += b[i] * c[i]; e[i] = e[i - 1] "
        "* e[i - 1]; a[i] -= b[i] * c[i]; }",
    "s231": "for (int i = 0; i < m; ++i) for (int j = 1; j < m; j++) A[j][i] = "
        "A[j - 1][i] + B[j][i];",
    "s232": "for (int j = 1; j < m; j++) for (int i = 1; i <= j; i++) A[j][i] = "
        "A[j][i - 1] * A[j][i - 1] + B[j][i];",
    "s1232": "for (int j = 0; j < m; j++) for (int i = j; i < m; i++) A[i][j] = "
        "B[i][j] + C[i][j];",
    "s233": "for (int i = 1; i < m; i++) { for (int j = 1; j < m; j++) A[j][i] "
        "= A[j - 1][i] + C[j][i]; for (int j = 1; j < m; j++) B[j][i] = "
        "B[j][i - 1] + C[j][i]; }",
    "s2233": "for (int i = 1; i < m; i++) { for (int j = 1; j < m; j++) A[j][i] "
        "= A[j - 1][i] + C[j][i]; for (int j = 1; j < m; j++) B[i][j] = B[i "
        "- 1][j] + C[i][j]; }",
    "s235": "for (int i = 0; i < m; i++) { a[i] += b[i] * c[i]; for (int j = 1; "
        "j < m; j++) A[j][i] = A[j - 1][i] + B[j][i] * a[i]; }",
    "s241": "for (int i = 0; i < n - 1; i++) { a[i] = b[i] * c[i] * d[i]; b[i] "
        "= a[i] * a[i + 1] * d[i]; }",
    "s242": "for (int i = 1; i < n; ++i) a[i] = a[i - 1] + t + 2 + b[i] + c[i] "
        "+ d[i];",
    "s243": "for (int i = 0; i < n - 1; i++) { a[i] = b[i] + c[i] * d[i]; b[i] "
        "= a[i] + d[i] * e[i]; a[i] = b[i] + a[i + 1] * d[i]; }",
    "s244": "for (int i = 0; i < n - 1; ++i) { a[i] = b[i] + c[i] * d[i]; b[i] "
        "= c[i] + b[i]; a[i + 1] = b[i] + a[i + 1] * d[i]; }",
    "s1244": "for (int i = 0; i < n - 1; i++) { a[i] = b[i] + c[i] * c[i] + b[i] "
        "* b[i] + c[i]; d[i] = a[i] + a[i + 1]; }",
    "s2244": "for (int i = 0; i < n - 1; i++) { a[i + 1] = b[i] + e[i]; a[i] = "
        "b[i] + c[i]; }",
    "s251": "for (int i = 0; i < n; i++) { float v = b[i] + c[i] * d[i]; a[i] = "
        "v * v; }",
    "s1251": "for (int i = 0; i < n; i++) { float v = b[i] + c[i]; b[i] = a[i] + "
        "d[i]; a[i] = v * e[i]; }",
    "s2251": "float v = 0; for (int i = 0; i < n; i++) { a[i] = v * e[i]; v = "
        "b[i] + c[i]; b[i] = a[i] + d[i]; }",
    "s3251": "for (int i = 0; i < n - 1; i++) { a[i + 1] = b[i] + c[i]; b[i] = "
        "c[i] * e[i]; d[i] = a[i] * e[i]; }",
    "s252": "float u = 0, v; for (int i = 0; i < n; i++) { v = b[i] * c[i]; "
        "a[i] = v + u; u = v; }",
    "s253": "for (int i = 0; i < n; i++) if (a[i] > b[i]) { float v = a[i] - "
        "b[i] * d[i]; c[i] += v; a[i] = v; }",
    "s254": "float x = b[n - 1]; for (int i = 0; i < n; i++) { a[i] = (b[i] + "
        "x) * 0.5f; x = b[i]; }",
    "s255": "float x = b[n - 1], y = b[n - 2]; for (int i = 0; i < n; i++) { "
        "a[i] = (b[i] + x + y) * 0.333f; y = x; x = b[i]; }",
    "s256": "for (int i = 0; i < m; i++) for (int j = 1; j < m; j++) { a[j] = "
        "1.0f - a[j - 1]; A[j][i] = a[j] + B[j][i] * d[j]; }",
    "s257": "for (int i = 1; i < m; i++) for (int j = 0; j < m; j++) { a[i] = "
        "A[j][i] - a[i - 1]; A[j][i] = a[i] + B[j][i]; }",
    "s258": "float v = 0; for (int i = 0; i < n; ++i) { if (a[i] > 0) v = d[i] "
        "* d[i]; b[i] = v * c[i] + d[i]; e[i] = (v + 1) * c[i]; }",
    "s261": "for (int i = 1; i < n; ++i) { float v = a[i] + b[i]; a[i] = v + "
        "c[i - 1]; v = c[i] * d[i]; c[i] = v; }",
    "s271": "for (int i = 0; i < n; i++) if (b[i] > 0) a[i] += b[i] * c[i];",
    "s272": "for (int i = 0; i < n; i++) if (e[i] >= t) { a[i] += c[i] * d[i]; "
        "b[i] += c[i] * c[i]; }",
    "s273": "for (int i = 0; i < n; i++) { a[i] += d[i] * e[i]; if (a[i] < 0) "
        "b[i] += d[i] * e[i]; c[i] += a[i] * d[i]; }",
    "s274": "for (int i = 0; i < n; i++) { a[i] = c[i] + e[i] * d[i]; if (a[i] "
        "> 0) b[i] = a[i] + b[i]; else a[i] = d[i] * e[i]; }",
    "s275": "for (int i = 0; i < m; i++) if (A[0][i] > 0) for (int j = 1; j < "
        "m; j++) A[j][i] = A[j - 1][i] + B[j][i] * C[j][i];",
    "s2275": "for (int i = 0; i < m; i++) { for (int j = 0; j < m; j++) A[j][i] "
        "= A[j][i] + B[j][i] * C[j][i]; a[i] = b[i] + c[i] * d[i]; }",
    "s276": "int mid = n / 2; for (int i = 0; i < n; i++) if (i + 1 < mid) a[i] "
        "+= b[i] * c[i]; else a[i] += b[i] * d[i];",
    "s277": "for (int i = 0; i < n - 1; i++) { if (a[i] >= 0) goto done; if "
        "(b[i] >= 0) goto next; a[i] += c[i] * d[i]; next: b[i + 1] = c[i] "
        "+ d[i] * e[i]; done: ; }",
    "s278": "for (int i = 0; i < n; i++) { if (a[i] > 0) goto other; b[i] = "
        "-b[i] + d[i] * e[i]; goto both; other: c[i] = -c[i] + d[i] * e[i]; "
        "both: a[i] = b[i] + c[i] * d[i]; }",
    "s279": "for (int i = 0; i < n; i++) { if (a[i] > 0) goto other; b[i] = "
        "-b[i] + d[i] * d[i]; if (b[i] <= a[i]) goto both; c[i] += d[i] * "
        "e[i]; goto both; other: c[i] = -c[i] + e[i] * e[i]; both: a[i] = "
        "b[i] + c[i] * d[i]; }",
    "s1279": "for (int i = 0; i < n; i++) if (a[i] < 0) if (b[i] > a[i]) c[i] += "
        "d[i] * e[i];",
    "s2710": "for (int i = 0; i < n; i++) { if (a[i] > b[i]) { a[i] += b[i] * "
        "d[i]; if (n > 10) c[i] += d[i] * d[i]; else c[i] = d[i] * e[i] + "
        "1; } else { b[i] = a[i] + e[i] * e[i]; if (t > 0) c[i] = a[i] + "
        "d[i] * d[i]; else c[i] += e[i] * e[i]; } }",
    "s2711": "for (int i = 0; i < n; i++) if (b[i] != 0) a[i] += b[i] * c[i];",
    "s2712": "for (int i = 0; i < n; i++) if (a[i] > b[i]) a[i] += b[i] * c[i];",
    "s281": "for (int i = 0; i < n; i++) { float x = a[n - i - 1] + b[i] * "
        "c[i]; a[i] = x - 1.0f; b[i] = x; }",
    "s1281": "for (int i = 0; i < n; i++) { float x = b[i] * c[i] + a[i] * d[i] "
        "+ e[i]; a[i] = x - 1.0f; b[i] = x; }",
    "s291": "int last = n - 1; for (int i = 0; i < n; i++) { a[i] = (b[i] + "
        "b[last]) * 0.5f; last = i; }",
    "s292": "int last = n - 1, more = n - 2; for (int i = 0; i < n; i++) { a[i] "
        "= (b[i] + b[last] + b[more]) * 0.333f; more = last; last = i; }",
    "s293": "for (int i = 0; i < n; i++) a[i] = a[0];",
    "s2101": "for (int i = 0; i < m; i++) A[i][i] += B[i][i] * C[i][i];",
    "s2102": "for (int i = 0; i < m; i++) { for (int j = 0; j < m; j++) A[j][i] "
        "= 0; A[i][i] = 1; }",
    "s2111": "for (int j = 1; j < m; j++) for (int i = 1; i < m; i++) A[j][i] = "
        "(A[j][i - 1] + A[j - 1][i]) / 1.9f;",
    "s311": "float v = 0; for (int i = 0; i < n; i++) v += a[i]; s[0] = v;",
    "s31111": ("float v = 0; for (int i = 0; i < n / 4; i++) v += four(a, 4 * i); "
        "s[0] = v;",
        "static float four(const float *a, int at) { float v = 0; for (int "
        "i = 0; i < 4; i++) v += a[at + i]; return v; }", ""),
    "s312": "float v = 1; for (int i = 0; i < n; i++) v *= a[i]; s[0] = v;",
    "s313": "float v = 0; for (int i = 0; i < n; i++) v += a[i] * b[i]; s[0] = "
        "v;",
    "s314": "float x = a[0]; for (int i = 0; i < n; i++) if (a[i] > x) x = "
        "a[i]; s[0] = x;",
    "s315": "float x = a[0]; int at = 0; for (int i = 0; i < n; i++) if (a[i] > "
        "x) { x = a[i]; at = i; } s[0] = x + (float)at;",
    "s316": "float x = a[0]; for (int i = 1; i < n; ++i) if (a[i] < x) x = "
        "a[i]; s[0] = x;",
    "s317": "float v = 1; for (int i = 0; i < n / 2; i++) v *= 0.99f; s[0] = v;",
    "s318": ("int at = 0, v = 0; float x = fabsf(a[0]); v += h; for (int i = 1; "
        "i < n / h; i++) { if (fabsf(a[v]) <= x) goto next; at = i; x = "
        "fabsf(a[v]); next: v += h; } s[0] = x + (float)at;",
        "", "h=1"),
    "s319": "float v = 0; for (int i = 0; i < n; i++) { a[i] = c[i] + d[i]; v "
        "+= a[i]; b[i] = c[i] + e[i]; v += b[i]; } s[0] = v;",
    "s3110": "float x = A[0][0]; int at = 0, to = 0; for (int i = 0; i < m; i++) "
        "for (int j = 0; j < m; j++) if (A[i][j] > x) { x = A[i][j]; at = "
        "i; to = j; } s[0] = x + (float)at + (float)to;",
    "s3111": "float v = 0; for (int i = 0; i < n; i++) if (a[i] > 0) v += a[i]; "
        "s[0] = v;",
    "s3112": "float v = 0; for (int i = 0; i < n; i++) { v += a[i]; b[i] = v; } "
        "s[0] = v;",
    "s3113": "float x = fabsf(a[0]); for (int i = 0; i < n; i++) if (fabsf(a[i]) "
        "> x) x = fabsf(a[i]); s[0] = x;",
    "s321": "for (int i = 1; i < n; i++) a[i] += a[i - 1] * b[i];",
    "s322": "for (int i = 2; i < n; i++) a[i] = a[i] + a[i - 1] * b[i] + a[i - "
        "2] * c[i];",
    "s323": "for (int i = 1; i < n; i++) { a[i] = b[i - 1] + c[i] * d[i]; b[i] "
        "= a[i] + c[i] * e[i]; }",
    "s331": "int j = -1; for (int i = 0; i < n; i++) if (a[i] < 0) j = i; q[0] "
        "= j;",
    "s332": "int at = -2; float v = -1; for (int i = 0; i < n; i++) if (a[i] > "
        "t) { at = i; v = a[i]; goto done; } done: s[0] = v + at;",
    "s341": "int j = -1; for (int i = 0; i < n; i++) if (b[i] > 0) { j++; a[j] "
        "= b[i]; }",
    "s342": "int j = -1; for (int i = 0; i < n; i++) if (a[i] > 0) { j++; a[i] "
        "= b[j]; }",
    "s343": "int v = -1; for (int i = 0; i < m; i++) for (int j = 0; j < m; "
        "j++) if (B[j][i] > 0) { v++; f[v] = A[j][i]; }",
    "s351": "float x = c[0]; for (int i = 0; i < n - 4; i += 5) { a[i] += x * "
        "b[i]; a[i + 1] += x * b[i + 1]; a[i + 2] += x * b[i + 2]; a[i + 3] "
        "+= x * b[i + 3]; a[i + 4] += x * b[i + 4]; }",
    "s1351": "float *p = a; const float *u = b, *w = c; for (int i = 0; i < n; "
        "i++) { *p = *u + *w; p++; u++; w++; }",
    "s352": "float v = 0; for (int i = 0; i < n - 4; i += 5) v = v + a[i] * "
        "b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2] + a[i + 3] * b[i "
        "+ 3] + a[i + 4] * b[i + 4]; s[0] = v;",
    "s353": "float x = c[0]; for (int i = 0; i < n - 4; i += 5) { a[i] += x * "
        "b[k[i]]; a[i + 1] += x * b[k[i + 1]]; a[i + 2] += x * b[k[i + 2]]; "
        "a[i + 3] += x * b[k[i + 3]]; a[i + 4] += x * b[k[i + 4]]; }",
    "s421": "float *x = a, *y = a; for (int i = 0; i < n - 1; i++) x[i] = y[i + "
        "1] + b[i];",
    "s1421": "float *x = &b[n / 2]; for (int i = 0; i < n / 2; i++) b[i] = x[i] "
        "+ a[i];",
    "s422": "float *x = b + 4; for (int i = 0; i < n - 8; i++) x[i] = b[i + 8] "
        "+ a[i];",
    "s423": "float *x = b + 64; for (int i = 0; i < n - 64; i++) b[i + 1] = "
        "x[i] + a[i];",
    "s424": "float *x = b + 63; for (int i = 0; i < n - 64; i++) x[i + 1] = "
        "b[i] + a[i];",
    "s431": "int v = 1, w = 2, u = 2 * v - w; for (int i = 0; i < n; i++) a[i] "
        "= a[i + u] + b[i];",
    "s441": "for (int i = 0; i < n; i++) if (d[i] < 0) a[i] += b[i] * c[i]; "
        "else if (d[i] == 0) a[i] += b[i] * b[i]; else a[i] += c[i] * c[i];",
    "s442": "for (int i = 0; i < n; i++) { switch (k[i]) { case 1: goto one; "
        "case 2: goto two; case 3: goto three; case 4: goto four; } one: "
        "a[i] += b[i] * b[i]; goto done; two: a[i] += c[i] * c[i]; goto "
        "done; three: a[i] += d[i] * d[i]; goto done; four: a[i] += e[i] * "
        "e[i]; done: ; }",
    "s443": "for (int i = 0; i < n; i++) { if (d[i] <= 0) goto one; else goto "
        "two; one: a[i] += b[i] * c[i]; goto done; two: a[i] += b[i] * "
        "b[i]; done: ; }",
    "s451": "for (int i = 0; i < n; i++) a[i] = sinf(b[i]) + cosf(c[i]);",
    "s452": "for (int i = 0; i < n; i++) a[i] = b[i] + c[i] * (float)(i + 1);",
    "s453": "float v = 0; for (int i = 0; i < n; i++) { v += 2; a[i] = v * "
        "b[i]; }",
    "s471": ("for (int i = 0; i < n; i++) { e[i] = b[i] + d[i] * d[i]; "
        "nothing(); b[i] = c[i] + d[i] * e[i]; }",
        "static int nothing(void) { return 0; }", ""),
    "s481": "for (int i = 0; i < n; i++) { if (d[i] < 0) return; a[i] += b[i] * "
        "c[i]; }",
    "s482": "for (int i = 0; i < n; i++) { a[i] += b[i] * c[i]; if (c[i] > "
        "b[i]) break; }",
    "s491": "for (int i = 0; i < n; i++) a[k[i]] = b[i] + c[i] * d[i];",
    "s4112": "for (int i = 0; i < n; i++) a[i] += b[k[i]] * t;",
    "s4113": "for (int i = 0; i < n; i++) a[k[i]] = b[k[i]] + c[i];",
    "s4114": "for (int i = 0; i < n; i++) { int v = k[i]; a[i] = b[i] + c[n - v "
        "- 1] * d[i]; v += 5; }",
    "s4115": "float v = 0; for (int i = 0; i < n; i++) v += a[i] * b[k[i]]; s[0] "
        "= v;",
    "s4116": "float v = 0; for (int i = 0; i < m - 1; i++) { int w = 1 + i; v += "
        "a[w] * A[1][k[i]]; } s[0] = v;",
    "s4117": "for (int i = 0; i < n; i++) a[i] = b[i] + c[i / 2] * d[i];",
    "s4121": ("for (int i = 0; i < n; i++) a[i] += product(b[i], c[i]);",
        "static float product(float a, float b) { return a * b; }", ""),
    "va": "for (int i = 0; i < n; i++) a[i] = b[i];",
    "vag": "for (int i = 0; i < n; i++) a[i] = b[k[i]];",
    "vas": "for (int i = 0; i < n; i++) a[k[i]] = b[i];",
    "vif": "for (int i = 0; i < n; i++) if (b[i] > 0) a[i] = b[i];",
    "vtv": "for (int i = 0; i < n; i++) a[i] *= b[i];",
    "vpvtv": "for (int i = 0; i < n; i++) a[i] += b[i] * c[i];",
    "vpvts": "for (int i = 0; i < n; i++) a[i] += b[i] * t;",
    "vbor": "for (int i = 0; i < n; i++) { float u = a[i], v = b[i], w = c[i], "
        "x = d[i], y = e[i]; float o = u * v * w + u * v * x + u * v * y + "
        "u * w * x + u * w * y + u * x * y; float z = v * w * x + v * w * y "
        "+ v * x * y + w * x * y; a[i] = o * z; }",}


def text_of(name):
    """The file, and its options."""
    loop = LOOPS[name]
    body, before, size = (loop, "", "") if isinstance(loop, str) else loop
    return HEAD % (before, body), ["-D" + size] if size else []


def work(cetane, path, options, mode):
    """The most operations and words that a thread of a kernel has, or a complaint."""
    done = subprocess.run([cetane, "inspect", path, "--json", "--function=form",
                           "-Dn=%d" % N, "-Dm=%d" % M, "--fp=" + mode] + options,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode:
        return 0, "exit %d: %s" % (done.returncode, done.stderr)
    most = 0
    for kernel in json.loads(done.stdout)["kernels"]:
        threads = kernel["blocks"][0] * kernel["blocks"][1] \
            * kernel["block"][0] * kernel["block"][1]
        most = max(most, (kernel["operations"] + (
            kernel["bytes_read"] + kernel["bytes_written"]) / 4) / threads)
    return most, None


def is_atomic(cetane, path, options):
    done = subprocess.run([cetane, "build", path, "--function=form", "-Dn=%d" % N,
                           "-Dm=%d" % M, "--emit=poly", "--stop-after=schedule",
                           "-o", "-"] + options, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    return " atomic\n" in done.stdout


def values(parameter, count, _):
    """Elements of a parameter; subscripts are in bounds."""
    r = random.Random(parameter.name)
    if parameter.type == "int":
        return array.array("i", [r.randint(0, 4) for _ in range(count)])
    return array.array("f", [r.choice((r.uniform(-1, 1), r.uniform(-1, 1), 0.0))
                             for _ in range(count)])


def check(cetane, folder, name):
    """What is wrong, a list."""
    text, options = text_of(name)
    path = os.path.join(folder, name + ".c")
    with open(path, "w") as f:
        f.write(text)
    if name in REFUSED:
        return [] if work(cetane, path, options, "strict")[1] else [
            "is not refused any more"]
    wrong = []
    for mode in ("strict", "reassoc"):
        most, complaint = work(cetane, path, options, mode)
        may = name in IN_ORDER["both"] + SCATTERED or \
            mode == "strict" and name in IN_ORDER["strict"]
        if complaint or most > MOST and not may:
            wrong.append("%s: %s" % (mode, complaint or "%d operations for a "
                                     "thread" % most))
    if name in SCATTERED and not is_atomic(cetane, path, options):
        wrong.append("is not atomic")
    sizes = {"n": 23, "m": 6, "h": 2}
    if name == "s174":
        sizes["h"] = 11
    if "-Dh" not in "".join(options):
        del sizes["h"]
    try:
        complaint = against_cc.compare(
            cetane, path, [], "form", sizes, ULP.get(name, 0), function=["--function=form"],
            options=["--sanitize=all"], values=values)
    except (ValueError, subprocess.CalledProcessError) as e:
        complaint = str(e)
    return wrong + ([complaint] if complaint else [])


def main():
    cetane = sys.argv[1]
    names = [a for a in sys.argv[2:] if not a.startswith("--")] or part.share(
        sorted(LOOPS), sys.argv)
    bad = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(
                len(os.sched_getaffinity(0))) as pool:
        jobs = {name: pool.submit(check, cetane, folder, name) for name in names}
        for name, job in jobs.items():
            for complaint in job.result():
                print("%s: %s" % (name, complaint))
            if job.result():
                bad += 1
                part.say_failed(name)
    print("%d loops, %d failed" % (len(jobs), bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
