# What products compute, reduced along rows and columns: kept or not, whole or
# behind a function, with a batch, and over both.
param S, M, N, K;
tensor f32 A(M,K), B(K,N), b(N);
tensor f16 P(S,M,K), Q(S,N,K);
tensor i32 I(M,K), J(K,N);
C(i,j) = sum(k: A(i,k) * B(k,j));
out rows(i) = sum(j: C(i,j));
out most(i) max= abs(C(i,j) + b(j));
out columns(j) = sum(i: C(i,j) * C(i,j));
out D(i,j) = relu(sum(k: A(i,k) * B(k,j) * 2) + b(j));
out least(j) min= D(i,j);
out squares() = sum(i, j: D(i,j) * D(i,j));
E(s,i,j) = sum(k: P(s,i,k) * Q(s,j,k)) / 8;
out tops(s,i) max= E(s,i,j);
out sums(s,j) = sum(i: E(s,i,j));
F(i,j) = sum(k: I(i,k) * J(k,j));
out all(i) = sum(j: F(i,j));
out one(j) max= F(i,j);
assume M >= 1, N >= 1;
