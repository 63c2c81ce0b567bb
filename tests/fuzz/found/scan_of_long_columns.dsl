# -DN=3 -DM=9000 --host-seed=4
# Columns in tiles: sums of tiles, and what is before each.
param N, M;
tensor i32 x(M,N);
out y(i,j) for 0 <= i < M, 0 <= j < N = case { i == 0: x(i,j); else: y(i-1,j) + x(i,j); };
out z(i,j) for 0 <= i < M, 0 <= j < N = case { i == 0: x(i,j); else: x(i,j) * z(i-1,j) - y(i,j); };
