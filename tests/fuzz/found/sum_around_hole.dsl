# --host-seed=686 --fp=relaxed -DN=32 -DM=1
# A domain in two pieces: which loop a function counts.
param N, M;
out d3(i, j) for 0 <= i, i < M, 0 <= j, j < M, 0 <= u, u < 2, 0 <= v, v < N, v != 1 min= 1;
