# --host-seed=1 --fp=reassoc -DM=40 -DN=40 -DK=300
# Rows that begin behind the first column of a block.
param M, N, K;
tensor f32 A(K,M,N);
out s(i,j) for 0 <= i, i < M, i <= j, j < N = sum(k for 0 <= k, k < K: A(k,i,j));
