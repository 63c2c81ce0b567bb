# The cheapest order of a product of matrices.
param N;
tensor u16 size(N+1);
assume N >= 1;
c(i,j) for 0<=i<=j<N = case { i == j: u64(0);
	else: min(k for i<=k<j: c(i,k) + c(k+1,j) + u64(size(i)) * u64(size(k+1)) * u64(size(j+1))); };
out cost() = c(0,N-1);
