Matrix A(2,3,4); // ERROR[E107] 13: expected ')', found ','
B = A + A;
