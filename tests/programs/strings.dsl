# Longest common subsequence and edit distance.
param N, M;
tensor u8 a(N), b(M);
l(i,j) for 0<=i<=N, 0<=j<=M = case { i == 0: i32(0); j == 0 and i > 0: 0;
	else: (a(i-1) & 3) == (b(j-1) & 3) ? l(i-1,j-1) + 1 : max(l(i-1,j), l(i,j-1)); };
out lcs() = l(N,M);
e(i,j) for 0<=i<=N, 0<=j<=M = case { i == 0: i32(j); j == 0 and i > 0: i;
	else: min(min(e(i-1,j), e(i,j-1)) + 1,
		e(i-1,j-1) + ((a(i-1) & 3) == (b(j-1) & 3) ? 0 : 1)); };
out edit() = e(N,M);
