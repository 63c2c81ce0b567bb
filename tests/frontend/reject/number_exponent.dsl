Matrix A(2,2);
B = 1e+ * A; // ERROR[E103] 5: '1e' is not a number
