Matrix A(2,2);
B = A + A;
Params M; // ERROR[E109] 1: declarations stand before the first definition
Matrix C(M,M); // ERROR[E109] 1: declarations stand before the first definition
D = A + C;
