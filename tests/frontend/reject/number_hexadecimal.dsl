Matrix A(2,2);
B = 0x10 * A; // ERROR[E103] 5: '0x10' is not a number
