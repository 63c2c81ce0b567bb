Matrix A(-1,2); // ERROR[E114] 10: a size is an integer from 0 to 2147483647
B = A + A;
