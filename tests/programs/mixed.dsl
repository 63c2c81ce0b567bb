# Matrices and index notation in one program.
Params M, K, N;
Matrix A(M,K);  Matrix B(K,N);
S = A * B;
m(i) max= S(i,j);
E(i,j) = exp(S(i,j) - m(i));
z(i) += E(i,j);
P(i,j) = E(i,j) / z(i);
Q = P * B^T + A;
R = ReLU(Q^T);
norm(i) = sqrt(sum(j: R(i,j) * R(i,j)));
CodeGen(FLOAT, {P, Q, R, norm});
