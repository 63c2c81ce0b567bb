# Reductions of products in tiles: for one, others are chosen than are tried.
param S, M, N, K;
tensor f16 P(S,M,K), Q(S,N,K);
tensor f32 A(M,K), B(K,N), b(N);
D(i,j) = relu(sum(k: A(i,k) * B(k,j) * 2) + b(j));
out least(j) min= D(i,j);
out squares() = sum(i, j: D(i,j) * D(i,j));
E(s,i,j) = sum(k: P(s,i,k) * Q(s,j,k)) / 8;
out tops(s,i) max= E(s,i,j);
