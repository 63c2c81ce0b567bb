# --host-seed=933 --fp=strict --no-contract --parametric CETANE_DEBUG=block -DN=1 -DM=1
# When a kernel has points is told by floors of numbers that isl does not name.
param N, M;
out d0(i, j, k) for 1 <= i, i < N, (-i + M) / 2 % 2 != (2 * i - 1) / 4 % 2, 0 <= j, j < 4, 0 <= k, k < 3 = 1;
