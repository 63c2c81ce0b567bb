Matrix relu(2,2); // ERROR[E204] 8: 'relu' is the name of a function
Matrix A(2,2);
B = A + A;
