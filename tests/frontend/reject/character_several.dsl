Matrix A(2,2);
B = A $ A; // ERROR[E101] 7: unexpected '$'
C = A @ A; // ERROR[E101] 7: unexpected '@'
D = A + ; // ERROR[E107] 9: expected an expression, found ';'
