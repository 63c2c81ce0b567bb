Matrix A(2,2);
B = 1e999 * A; // ERROR[E215] 5: inf is out of the range of f64
CodeGen(DOUBLE, {B});
