Matrix A(2,1.5); // ERROR[E114] 12: a size is an integer
B = A + A;
