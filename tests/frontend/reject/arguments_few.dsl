Matrix A(2,2);
B = min(A); // ERROR[E113] 5: min takes 2 arguments, found 1
