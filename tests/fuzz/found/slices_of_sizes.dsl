# --host-seed=435 --fp=relaxed -DN=5000 -DM=8 -DB=256
# Blocks have slices of an array whose extent is the value of a size.
param N, M, B;
assume N >= 1, M >= 1, B >= 1;
tensor u16 k(N);
tensor u8 l(N);
tensor i64 x(B);
out d1(b,c) for 0 <= b < B, 0 <= c < 8 = i64(1);
d1(k(i) % 256, l(i) % 2) for 0 <= i < N, i >= 2 += x(k(i) % 256);
