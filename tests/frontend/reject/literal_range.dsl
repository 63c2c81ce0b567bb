Matrix A(2,2);
B = 2147483648 * A; // ERROR[E215] 5: 2147483648 is out of the range of i32
C = -2147483648 * A;
D = A - 2147483648; // ERROR[E215] 9: 2147483648 is out of the range of i32
E = 1e99 * A; // ERROR[E215] 5: 1e+99 is out of the range of i32
CodeGen(INT, {B, C, D, E});
