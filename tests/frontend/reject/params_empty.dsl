Params ; // ERROR[E107] 8: expected a name, found ';'
Matrix A(2,2);
B = A + A;
