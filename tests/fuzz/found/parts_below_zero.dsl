# --fp=strict --no-contract CETANE_DEBUG=launches -DM=2
# A sum that begins in the tiles of another: its cells are counted from -1 on.
param M;
tensor i64 B(M, M + 1);
out d(j) for -1 <= j, j < 1 = sum(r for 0 <= r, r < M: sum(s for 0 <= s, s < M: (B(s, j + 1) + B(s, r + 1))));
