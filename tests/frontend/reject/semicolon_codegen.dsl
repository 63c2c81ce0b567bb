Matrix A(2,2);
B = A + A;
CodeGen(FLOAT, {B}) // ERROR[E107] 20: expected ';', found the end of the file
