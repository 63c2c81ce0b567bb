# One matrix gated by the sigmoid of another with a bias.
param M, N;
tensor f16 X(M,N), Z(M,N), b(N);
out Y(i,j) = f16(f32(Z(i,j)) * sigmoid(f32(X(i,j)) + f32(b(j))));
