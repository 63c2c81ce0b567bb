# --host-seed=514 --fp=reassoc CETANE_DEBUG=launches -DN=58 -DM=5 -DB=500
# Two sums of a kernel have 4 lanes and 32: those of a warp are at different exchanges.
param N, M, B;
assume N >= 1, M >= 1, B >= 1;
tensor u8 k(N);
tensor i32 l(N);
tensor f16 x(B);
out d1(b,c) for 0 <= b < 20, 0 <= c < 2 = f16(1);
d1((k(i)), (k(i))) for 0 <= i < N += f16(1);
d1((k(i)), (k(i))) for 0 <= i < N min= f16(x((l(i))));
