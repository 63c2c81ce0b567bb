Matrix A(2,2);
B = 12ab * A; // ERROR[E103] 5: '12ab' is not a number
