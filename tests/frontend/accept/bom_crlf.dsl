Matrix A(2,2);
B = A + A; // é
CodeGen(DOUBLE, {B});