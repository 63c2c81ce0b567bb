# --host-seed=88 --fp=reassoc -DN=32 -DM=2
# Rows without a cell are blocks without an instance.
param N, M;
out d2(i, j) for 0 <= i, i < 4, i % 2 == 0, 0 <= j, j < M = sum(r for 0 <= r, r < N: 1);
