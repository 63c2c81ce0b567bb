# A product of matrices with a bias and a gate.
param M, N, K;
tensor f32 A(M,K), B(K,N), Z(M,N), b(N);
out Y(i,j) = Z(i,j) * tanh(sum(k: A(i,k) * B(k,j)) + b(j));
