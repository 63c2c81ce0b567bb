# --host-seed=1 --fp=reassoc -DN=7 -DM=5
# A tile has rows that its product does not read, which nothing has written yet.
param N, M;
tensor f32 A(M, N);
tensor f32 B(N, N);
out s(j) for 0 <= j, j < N, 0 <= k, k < M += A(k, j);
out c(i,j) for 1 <= i, i < M, 0 <= j, j < N = case { i == 2: min(s(j), B(i, j)); else: A(i,j); };
out d(i,j,k,l,p) for 0 <= i, i < N, 0 <= j, j <= i, 0 <= k, k < j, k % 2 == 1, 1 <= l, l < M, l % 2 == 1, 0 <= p, p < N, i + 1 <= u, u < N, u % 2 == 0 min= B(u,p) * c(l,u);
