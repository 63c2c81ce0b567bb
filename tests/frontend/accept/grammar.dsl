# Every production once: comments, declarations in any order and mixture,
/* all /* nested */ operators */ // and functions.
Matrix A(M,3); Params M, N; Matrix B(3,N);
Matrix T(M,N); Params K; Matrix V(1,N); Matrix S(1,1); Matrix L(K,K);
P = A*B;
Q = (P + T) - V .* 2 * S;
R = -T^T' + transpose(P') - -1.5e-3;
U = ReLU(Q) + sigmoid(Q) + TANH(Q) + exp(Q) + log(Q) + sqrt(Q) + abs(Q);
W = min(Q, V) + MAX(1, Q) + Elementwise_Mul(Q, Q) + .5 + 2. + 1E2;
X = T^T * T; X = X * X + 2.*X;
Y = L;
CodeGen everything(BFLOAT16, {R, U, W, X, Y});
