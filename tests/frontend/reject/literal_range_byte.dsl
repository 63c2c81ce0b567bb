Matrix A(2,2);
B = 128 * A; // ERROR[E215] 5: 128 is out of the range of i8
C = -128 * A;
CodeGen(INT8, {B, C});
