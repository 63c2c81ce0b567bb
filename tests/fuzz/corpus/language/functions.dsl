Matrix A(4, 1);
B = exp(log(Sqrt(TANH(sigmoid(A'))))) .* elementwise_mul(A, A)^T;
CodeGen(DOUBLE, {B});
