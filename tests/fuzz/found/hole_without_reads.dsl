// --host-seed=47 --fp=reassoc -DN=32 -DM=1
// Lanes without a value begin and end like others.
param N, M;
out d0(i) for 0 <= i, i < N = min(r for 0 <= r, r < N, r != 1: 1);
out d1(i) for 0 <= i, i < N = sum(r, s for r < M, 0 <= s, s <= r, s != 1: 1);
