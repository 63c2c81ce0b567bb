Matrix A(2,2);
B = A^Tx; // ERROR[E101] 6: unexpected '^'
