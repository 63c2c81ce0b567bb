Matrix A(2,2);
B = A^ T; // ERROR[E101] 6: unexpected '^'
