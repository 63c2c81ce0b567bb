Matrix A(2,2);
B = Softmax(A); // ERROR[E112] 5: 'Softmax' is not a function
C = A(A); // ERROR[E112] 5: 'A' is not a function; elements are read
