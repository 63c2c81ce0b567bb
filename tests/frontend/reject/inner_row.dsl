Matrix A(3,4); Matrix v(1,4);
B = A * v; // ERROR[E206] 7: the inner sizes of (3,4) and (1,4)
