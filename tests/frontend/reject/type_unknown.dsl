Matrix A(2,2);
B = A + A;
CodeGen(SINGLE, {B}); // ERROR[E111] 9: 'SINGLE' is not an element type: INT HALF FLOAT DOUBLE BFLOAT16 TFLOAT32 INT8
