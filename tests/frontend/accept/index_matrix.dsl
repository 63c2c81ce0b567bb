// Matrices and index notation in one name space.
Params M, K, N;
Matrix A(M,K);  Matrix B(K,N);
S = A * B;
m(i) max= S(i,j);
E(i,j) = exp(S(i,j) - m(i));
z(i) += E(i,j);
P(i,j) = E(i,j) / z(i);
Q = P * B^T + A;
T = 2 * Q; // WARNING[W233] 1: no output needs
R(i) = sum(j: T(i,j)); // WARNING[W233] 1: no output needs
CodeGen(FLOAT, {P, Q});
