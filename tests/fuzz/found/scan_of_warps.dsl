# -DM=3 -DN=5000 --host-seed=5
# Warps of a block, and the turns that each has, go on from one another.
param M, N;
tensor i32 x(M,N), a(M,N);
out y(i,j) for 0 <= i < M, 0 <= j < N = case { j == 0: x(i,j); else: a(i,j) * y(i,j-1) + x(i,j); };
