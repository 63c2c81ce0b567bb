# Folding of a sequence: dynamic programming over intervals.
param N;
tensor i32 seq(N);
pair(i,j) for 0<=i<j<N = (seq(i) & 3) + (seq(j) & 3) == 3 ? 1 : i32(0);
t(i,j) for 0<=i<=N, -1<=j<N, i <= j+1 = case {
	j <= i: 0;
	else: max(max(t(i+1,j), t(i,j-1)),
		max(t(i+1,j-1) + pair(i,j), max(k for i<k<j: t(i,k) + t(k+1,j)))); };
assume N >= 1;
out best() = t(0,N-1);
