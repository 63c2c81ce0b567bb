Matrix A(2,2);
B = A ** 2; // ERROR[E107] 8: expected an expression, found '*'; powers of elements are pow(x, y)
