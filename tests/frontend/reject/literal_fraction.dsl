Matrix A(2,2);
B = 2.5 * A; // ERROR[E214] 5: 2.5 is not an integer, but the element type is i32
C = 2.0 * A - 1e3;
CodeGen(INT, {B, C});
