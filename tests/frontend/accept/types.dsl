// Integers have everything that stays in the integers.
Matrix A(4,4);
B = max(min(A, 100), -100) .* 2 - ReLU(A) + abs(A^T);
CodeGen(INT8, {B});
