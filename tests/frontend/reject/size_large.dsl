Matrix A(2147483647,2147483648); // ERROR[E114] 21: a size is an integer
Matrix B(99999999999999999999,1e99); // ERROR[E114] 10: a size is // ERROR[E114] 31: a size is
C = B + B;
