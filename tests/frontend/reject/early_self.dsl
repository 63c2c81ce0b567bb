Matrix A(2,2);
C = C + A; // ERROR[E210] 5: 'C' is used before its definition in line 2
