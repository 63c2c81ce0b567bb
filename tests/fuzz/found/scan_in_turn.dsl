# -DN=400003 --host-seed=3
# Tiles, groups of tiles and what comes before these, each handed on in turn. Odd factors
# let nothing of what comes before get lost.
param N;
tensor i64 x(N), a(N);
out y(i) for 0 <= i < N = case { i == 0: x(0); else: (2 * a(i) + 1) * y(i-1) + x(i); };
