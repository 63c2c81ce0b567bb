Matrix A(2,2);
B = 65520 * A; // ERROR[E215] 5: 65520 is out of the range of f16
C = 65519 * A;
CodeGen(HALF, {B, C});
