Matrix A(2,2);
B = LOG(A); // ERROR[E213] 5: log needs a floating-point type, not i8
C = sqrt(A); // ERROR[E213] 5: sqrt needs a floating-point type, not i8
CodeGen(INT8, {B, C});
