Matrix A(2,2);
B = A + X; // ERROR[E201] 9: 'X' is not defined
C = X - X;
D = B + Y; // ERROR[E201] 9: 'Y' is not defined
