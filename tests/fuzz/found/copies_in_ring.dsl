# --host-seed=986 --fp=relaxed -DN=4999 -DM=2 -DB=3
# Copies of float cells in blocks, in the ring, where they are integers.
param N, M, B;
assume N >= 1, M >= 1, B >= 1;
tensor i32 k(N);
tensor i32 l(N);
tensor f16 x(B);
tensor f16 y(B,M);
out d0(b) for 0 <= b < 31 = f16(2);
d0(((i) % 7)) for 0 <= i < N, i >= 2 += f16(0);
d0((l(i))) for 0 <= i < N += f16(y((l(i)), (k(i))));
