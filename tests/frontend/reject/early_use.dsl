Matrix A(2,2);
B = A + C; // ERROR[E210] 9: 'C' is used before its definition in line 3
C = A - A;
