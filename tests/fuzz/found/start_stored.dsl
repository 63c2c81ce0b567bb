# --host-seed=778 --fp=strict --no-contract -DN=1 -DM=1 -DB=1
# An update begins with what a cell stores: 0, not 256.
param N, M, B;
assume N >= 1, M >= 1, B >= 1;
tensor i64 k(N);
out d1(b) for 0 <= b < 256 = (u8(1) + u8(b));
d1((k(i))) for 0 <= i < N min= u8(1);
