Matrix A(2,2);
B = A + A;
CodeGen(Float, {B}); // ERROR[E111] 9: 'Float' is not an element type
