Matrix A(2,2);
B = Sigmoid(A); // ERROR[E213] 5: sigmoid needs a floating-point type, not i32
C = tanh(A) + exp(A); // ERROR[E213] 5: tanh needs // ERROR[E213] 15: exp needs
D = ReLU(A) + abs(A) + min(A, A) + max(A, A);
CodeGen(INT, {B, C, D});
