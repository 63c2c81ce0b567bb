# --host-seed=295 --fp=strict --no-contract -DN=32 -DM=1
# The same with every other column.
param N, M;
tensor i32 B(1, M, 1, M, 1);
out d1(i) for 0 <= i, i < N = B(0, 0, 0, 0, 0);
out d2(i, j) for 0 <= i, i < 2, 0 <= j, j < N, j % 2 == 0 = sum(r for 0 <= r, r < N: d1(0));
