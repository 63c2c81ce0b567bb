Matrix N(2,2);
Matrix A(N,2); // ERROR[E209] 10: 'N' is a matrix, not a size parameter
B = A + A;
