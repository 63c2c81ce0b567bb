Matrix A(2,2);
B = a + A; // ERROR[E201] 5: 'a' is not defined; did you mean A
