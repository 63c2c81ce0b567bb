# --host-seed=519 --fp=reassoc -DN=33 -DM=3
# Conditions that contradict each other: each round of bounds makes larger ones.
param N, M;
tensor f32 B(N%3 + 1, 1);
out d0(i, j, k) for 0 <= i, i < N, -1 <= j / 2, j <= i, 2 * i + 1 <= (j - M + 2) / 5, j % 2 == 1, j != 1, j + 1 <= k, k < N, i <= u, u < (2 * M - 1) / 3, 0 <= v, v < M += B(k, k % 3);
