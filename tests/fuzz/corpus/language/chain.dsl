Params M, K, N;
Matrix X(M,K);  Matrix W(K,N);  Matrix b(1,N); Matrix s(1,1); Matrix c(M,1);
H = ReLU(X * W + b) - c .* 2;
H = min(H^T' * H, -.5e-3) * s; // new version
G = transpose(X)*X + W*W'; /* a /* b */ */
Z = X * 0.5 # unused
CodeGen net(HALF, {H, G});
