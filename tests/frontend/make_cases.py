#!/usr/bin/env python3
"""Compute the stored cases of the interpreter's test with NumPy.

Usage: make_cases.py > cases.txt

Each case is a program, its inputs, and its outputs, computed here from the
rules of frontend/README.md by hand-written NumPy and not by our parser. An
"also" block is another admissible result (sums in another order, or with
fused multiply-add) that must lie within the bound of the wide mode. Functions
are evaluated with 50 decimal digits and rounded once.
"""
import sys
from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np

getcontext().prec = 50
RNG = np.random.default_rng(20180618)

STORE = {
    "INT": np.int32, "INT8": np.int8, "HALF": np.float16,
    "BFLOAT16": None, "FLOAT": np.float32, "DOUBLE": np.float64,
}
COMPUTE = {
    "INT": np.int32, "INT8": np.int32, "HALF": np.float32,
    "BFLOAT16": np.float32, "FLOAT": np.float32, "DOUBLE": np.float64,
}
ALL = list(STORE)
FLOATS = ["HALF", "BFLOAT16", "FLOAT", "DOUBLE"]
INTS = ["INT", "INT8"]


def to_bfloat(x):
    """Round f32 values to bf16, ties to even, by their bits."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    rounded = bits.astype(np.uint32).view(np.float32)
    return np.where(np.isnan(x), np.float32(np.nan), rounded)


def round_f32(d):
    """A Decimal to the nearest f32, through its exact neighbours."""
    x = np.float32(float(d))
    best = min((x, np.nextafter(x, np.float32(np.inf)),
                np.nextafter(x, np.float32(-np.inf))),
               key=lambda y: abs(Fraction(float(y)) - Fraction(d)))
    return best


class Type:
    """The rules of one element type."""

    def __init__(self, name):
        self.name = name
        self.compute = COMPUTE[name]
        self.is_int = name in INTS

    def store(self, x):
        """Round to the element type; the result is of the compute type."""
        with np.errstate(over="ignore"):
            if self.name == "BFLOAT16":
                return to_bfloat(x)
            return np.asarray(x).astype(STORE[self.name]).astype(self.compute)

    def random(self, m, n, low=-1.0, high=1.0):
        if self.is_int:
            return RNG.integers(-4, 5, (m, n)).astype(self.compute)
        return self.store(RNG.uniform(low, high, (m, n)).astype(self.compute))

    def const(self, x):
        return self.store(np.full((1, 1), x, self.compute))

    def mm(self, a, b, order=None, fma=False):
        """A product: operands rounded, summed in order of k."""
        a, b = self.store(a), self.store(b)
        acc = np.zeros((a.shape[0], b.shape[1]), self.compute)
        with np.errstate(over="ignore"):
            for k in order if order is not None else range(a.shape[1]):
                if fma:
                    wide = np.longdouble
                    acc = (acc.astype(wide) + a[:, k:k+1].astype(wide) *
                           b[k:k+1, :].astype(wide)).astype(self.compute)
                else:
                    acc = acc + a[:, k:k+1] * b[k:k+1, :]
        return acc

    def apply(self, f, x):
        """A function of Decimals on each element, rounded once."""
        out = np.empty_like(x)
        for i in np.ndindex(x.shape):
            d = f(Decimal(float(x[i])))
            out[i] = float(d) if self.compute == np.float64 else round_f32(d)
        return out


def tanh(d):
    e = (2 * d).exp()
    return (e - 1) / (e + 1)


def sigmoid(d):
    return 1 / (1 + (-d).exp())


def exp(d):
    return d.exp()


def log(d):
    return d.ln()


def show(kind, name, x, is_int):
    print(kind, name, x.shape[0], x.shape[1])
    for row in x:
        print(*(int(v) if is_int else float(v).hex() for v in row))


def emit(name, t, source, sizes, inputs, outputs, also=()):
    print("case", name)
    print("source")
    print(source.replace("TYPE", t.name).strip())
    print("end")
    for key, value in sizes.items():
        print("size", key, value)
    for key, value in inputs.items():
        show("input", key, value, t.is_int)
    for key, value in outputs.items():
        show("output", key, value, t.is_int)
    for key, value in also:
        show("also", key, value, t.is_int)
    print("done")


def gemm_add(t):
    m, k, n = 3, 5, 4
    a, b, c = t.random(m, k), t.random(k, n), t.random(m, n)
    d = t.store(t.mm(a, b))
    e = t.store(d + c)
    back = t.store(t.store(t.mm(a, b, range(k)[::-1])) + c)
    fused = t.store(t.store(t.mm(a, b, fma=True)) + c)
    emit("gemm_add_" + t.name, t, """
Params M, K, N;
Matrix A(M,K);
Matrix B(K,N);
Matrix C(M,N);
D = A * B;
E = D + C;
CodeGen(TYPE, {E});
""", dict(M=m, K=k, N=n), dict(A=a, B=b, C=c), dict(E=e),
         [("E", back), ("E", fused)])


def bias(t):
    a, b, v = t.random(3, 3), t.random(3, 3), t.random(1, 3)
    w, s = t.random(3, 1), t.random(1, 1)
    p = t.store(t.mm(a, b))
    c = t.store(p + v)
    d = t.store(w - p)
    e = t.store(s + a - s)
    f = t.store(np.minimum(v, a) * w)
    emit("bias_" + t.name, t, """
Matrix A(3,3); Matrix B(3,3); Matrix V(1,3); Matrix W(3,1); Matrix S(1,1);
T = A * B;
C = T + V;
D = W - T;
E = S + A - S;
F = min(V, A) .* W;
CodeGen(TYPE, {C, D, E, F});
""", {}, dict(A=a, B=b, V=v, W=w, S=s), dict(C=c, D=d, E=e, F=f))


def transposed(t):
    a, b, c = t.random(4, 2), t.random(4, 3), t.random(3, 2)
    p = t.mm(a.T, b)
    e = t.store(p + c.T)
    f = t.store(t.mm(a.T, b)).T
    g = t.store(np.maximum(t.mm(b.T, a), c)).T
    h = t.store(f - t.mm(b.T, a))
    emit("transposed_" + t.name, t, """
Matrix A(4,2); Matrix B(4,3); Matrix C(3,2);
E = A^T * B + C';
F = (A^T * B)^T;
G = transpose(max(B'*A, C^T^T));
H = F'' - (B^T*A)^T^T;
U = F^T;
CodeGen(TYPE, {E, F, G, H, U});
""", {}, dict(A=a, B=b, C=c), dict(E=e, F=f, G=g, H=h, U=f.T))


def pointwise(t):
    x, p = t.random(3, 4, -3, 3), t.random(3, 4, 0.1, 5)
    emit("pointwise_" + t.name, t, """
Params m, n;
Matrix X(m,n); Matrix P(m,n);
R = ReLU(X); S = Sigmoid(X); H = tanh(X); E = EXP(X);
L = log(P); Q = sqrt(P); B = abs(X);
N = tanh(exp(-X) - 1);
CodeGen(TYPE, {R, S, H, E, L, Q, B, N});
""", dict(m=3, n=4), dict(X=x, P=p), dict(
        R=t.store(np.maximum(x, 0)),
        S=t.store(t.apply(sigmoid, x)),
        H=t.store(t.apply(tanh, x)),
        E=t.store(t.apply(exp, x)),
        L=t.store(t.apply(log, p)),
        Q=t.store(np.sqrt(p)),
        B=t.store(np.abs(x)),
        N=t.store(t.apply(tanh, t.apply(exp, -x) - t.compute(1)))))


def integers(t):
    x, y = t.random(3, 3), t.random(3, 3)
    emit("integers_" + t.name, t, """
Matrix X(3,3); Matrix Y(3,3);
R = ReLU(X - Y); B = abs(X .* Y); N = -min(X, Y) + 7;
CodeGen(TYPE, {R, B, N});
""", {}, dict(X=x, Y=y), dict(R=t.store(np.maximum(x - y, 0)),
                              B=t.store(np.abs(x * y)),
                              N=t.store(-np.minimum(x, y) + 7)))


def wrapping(t):
    big = 127 if t.name == "INT8" else 2**31 - 1
    x = np.array([[big, -big - 1, big // 2 + 1]], np.int32)
    with np.errstate(over="ignore"):
        s = t.store(x + x)
        p = t.store(t.mm(x, x.T))
        n = t.store(-x)
        b = t.store(np.abs(x))
    emit("wrapping_" + t.name, t, """
Matrix X(1,3);
S = X + X; P = X * X'; N = -X; B = abs(X);
CodeGen(TYPE, {S, P, N, B});
""", {}, dict(X=x), dict(S=s, P=p, N=n, B=b))


def scaling(t):
    a, s = t.random(2, 3), t.random(1, 1)
    v = t.random(1, 3)
    half = 3 if t.is_int else 0.3
    h = t.const(half)
    emit("scaling_" + t.name, t, f"""
Params M, N;
Matrix A(M,N); Matrix s(1,1); Matrix v(1,N);
B = {half} * A; C = s * A * 2 - 1; D = v * {half}; E = s * v;
F = 2 * 3 * A;
G = -{half} + A;
alpha = {half};
H = alpha * A;
CodeGen(TYPE, {{B, C, D, E, F, G, H, alpha}});
""", dict(M=2, N=3), dict(A=a, s=s, v=v), dict(
        B=t.store(h * a), C=t.store(s * a * t.const(2) - t.const(1)),
        D=t.store(v * h), E=t.store(t.mm(s, v)), F=t.store(t.const(6) * a),
        G=t.store(-h + a), H=t.store(h * a), alpha=h))


def versions(t):
    a, b, d = t.random(2, 3), t.random(3, 2), t.random(2, 2)
    c1 = t.store(t.mm(a, b))
    c2 = t.store(c1 + d)
    a2 = t.store(a * a)
    c3 = t.store(t.mm(c2, a2))
    emit("versions_" + t.name, t, """
Matrix A(2,3); Matrix B(3,2); Matrix D(2,2);
C = A * B;
C = C + D;
A = A .* A;
C = C * A;
CodeGen(TYPE, {C, A});
""", {}, dict(A_0=a, B=b, D=d), dict(C=c3, A=a2))


def named_rounding(t):
    """A name rounds; what has none stays in the compute type."""
    a, b, c = t.random(2, 9), t.random(9, 2), t.random(2, 2)
    p = t.mm(a, b)
    emit("named_rounding_" + t.name, t, """
Matrix A(2,9); Matrix B(9,2); Matrix C(2,2);
T = A * B;
X = T + C;
Y = A * B + C;
Z = (A * B) * C;
W = (C + C .* C) * (C - 1);
CodeGen(TYPE, {X, Y, Z, W});
""", {}, dict(A=a, B=b, C=c), dict(
        X=t.store(t.store(p) + c), Y=t.store(p + c),
        Z=t.store(t.mm(t.store(p), c)),
        W=t.store(t.mm(t.store(c + c * c), t.store(c - t.const(1))))))


def empty(t):
    a, b, c = t.random(2, 0), t.random(0, 3), t.random(2, 3)
    emit("empty_" + t.name, t, """
Params M, K, N;
Matrix A(M,K); Matrix B(K,N); Matrix C(M,N);
E = A * B + C;
F = A * B;
CodeGen(TYPE, {E, F});
""", dict(M=2, K=0, N=3), dict(A=a, B=b, C=c),
         dict(E=t.store(c), F=np.zeros((2, 3), t.compute)))


def outer(t):
    a, b, c = t.random(3, 1), t.random(1, 2), t.random(3, 2)
    emit("outer_" + t.name, t, """
Matrix A(3,1); Matrix B(1,2); Matrix C(3,2);
E = A * B + C;
CodeGen(TYPE, {E});
""", {}, dict(A=a, B=b, C=c), dict(E=t.store(t.mm(a, b) + c)))


def long_sum(t):
    """Many terms in several orders, all of which the bound must hold."""
    k = 200
    a, b = t.random(2, k), t.random(k, 2)
    order = list(RNG.permutation(k))
    pieces = [t.mm(a[:, i:i+37], b[i:i+37, :]) for i in range(0, k, 37)]
    emit("long_sum_" + t.name, t, """
Params K;
Matrix A(2,K); Matrix B(K,2);
C = A * B;
CodeGen(TYPE, {C});
""", dict(K=k), dict(A=a, B=b), dict(C=t.store(t.mm(a, b))), [
        ("C", t.store(t.mm(a, b, order))),
        ("C", t.store(t.mm(a, b, fma=True))),
        ("C", t.store(sum(pieces[1:], pieces[0])))])


def deep(t):
    """Rounding in one place feeds functions and products further on."""
    a, b, c = t.random(3, 40), t.random(40, 3), t.random(3, 3)

    def run(**kw):
        x = t.store(t.apply(tanh, t.mm(a, b, **kw) + c))
        y = t.store(t.apply(sigmoid, t.mm(x, c, **kw)))
        return t.store(t.apply(exp, x - y) * c)
    emit("deep_" + t.name, t, """
Matrix A(3,40); Matrix B(40,3); Matrix C(3,3);
X = Tanh(A * B + C);
Y = Sigmoid(X * C);
Z = exp(X - Y) .* C;
CodeGen(TYPE, {Z});
""", {}, dict(A=a, B=b, C=c), dict(Z=run()), [("Z", run(fma=True))])


def overflow(t):
    big = {"HALF": 60000.0, "BFLOAT16": 3e38, "FLOAT": 3e38,
           "DOUBLE": 1.5e308}[t.name]
    x = t.store(np.array([[big, -big, 1.0]], t.compute))
    with np.errstate(over="ignore"):
        s = t.store(x + x)
    emit("overflow_" + t.name, t, """
Matrix X(1,3);
S = X + X;
CodeGen(TYPE, {S});
""", {}, dict(X=x), dict(S=s))


def subnormal(t):
    tiny = {"HALF": 2.0**-24, "BFLOAT16": 2.0**-133, "FLOAT": 2.0**-149,
            "DOUBLE": 2.0**-1074}[t.name]
    x = np.array([[tiny, 3 * tiny, -5 * tiny]], t.compute)
    emit("subnormal_" + t.name, t, """
Matrix X(1,3);
S = 0.5 * X; P = X .* X; T = X + X;
CodeGen(TYPE, {S, P, T});
""", {}, dict(X=x), dict(S=t.store(t.compute(0.5) * x),
                         P=t.store(x * x), T=t.store(x + x)))


def special(t):
    x = np.array([[np.inf, -np.inf, np.nan, 0.0]], t.compute)
    y = np.array([[1.0, 2.0, 3.0, np.nan]], t.compute)
    with np.errstate(invalid="ignore"):
        emit("special_" + t.name, t, """
Matrix X(1,4); Matrix Y(1,4);
A = X + Y; R = ReLU(X); L = min(X, Y); H = max(X, Y);
CodeGen(TYPE, {A, R, L, H});
""", {}, dict(X=x, Y=y), dict(
            A=t.store(x + y),
            R=t.store(np.where(np.isnan(x) | (x > 0), x, 0)),
            L=t.store(np.fmin(x, y)), H=t.store(np.fmax(x, y))))


def main():
    plan = [(gemm_add, ALL), (bias, ALL), (transposed, ALL),
            (pointwise, FLOATS), (integers, INTS), (wrapping, INTS),
            (scaling, ALL), (versions, ALL), (named_rounding, ALL),
            (empty, ALL), (outer, ALL), (long_sum, ALL), (deep, FLOATS),
            (overflow, FLOATS), (subnormal, FLOATS), (special, FLOATS)]
    print("# Made by make_cases.py; do not edit.")
    for make, types in plan:
        for name in types:
            make(Type(name))


if __name__ == "__main__":
    sys.exit(main())
