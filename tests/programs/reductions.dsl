# Reductions of all kinds, empty ones among them.
param N, M;
tensor f32 A(N,M);
out total() += A(i,j);
out rows(i) += A(i,j);
out columns(j) += A(i,j);
out product(i) = prod(j: 1 + A(i,j) / 8);
out least() min= A(i,j);
out greatest(j) max= A(i,j);
out empty(i) for 0<=i<3 = sum(j for 0<=j<i-5: A(0,j) * 2) + f32(i);
out nested(i) = sum(j: A(i,j) * sum(k for 0<=k<=i: A(k,j)));
out twice(i) = sum(j: A(i,j)) * sum(j: A(i,j) * A(i,j)) - max(j: A(i,j));
out triangle() = sum(i, j for 0<=i<N, 0<=j<M, j<=i: A(i,j));
out diagonal() = sum(i for 0<=i<N, i<M: A(i,i));
out sums(i) for 0<=i<N = sum(j for i<=j<N: rows(j));
assume N >= 1;
