Matrix A(2,2);
B = A^2; // ERROR[E101] 6: transposition is ^T, ' or transpose(), a power pow(x, y)
