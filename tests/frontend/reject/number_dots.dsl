Matrix A(2,2);
B = 1.2.3 * A; // ERROR[E103] 5: '1.2.3' is not a number
