# --host-seed=622 --fp=reassoc -DN=2 -DM=1
# A product whose factor is gathered reads an array that is none of its operands.
param N, M;
tensor i32 B(N/2 + 1, M + 1);
tensor i8 Q();
tensor i32 X(N + 5);
out d0(i, j, k) for 0 <= i, i < N, 0 <= j, j < N, 0 <= k, k < N, 0 <= u, u < N += max(max(i8(X(Q())), i8(B(u, i))), i8(B(u, j)));
