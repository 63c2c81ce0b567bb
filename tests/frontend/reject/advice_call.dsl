Matrix A(2,2);
B = A * A;
C = relu6(A); // ERROR[E112] 5: 'relu6' is not a function; did you mean relu
D = B(3); // ERROR[E112] 5: 'B' is not a function; elements are read in index notation, as in y(i) = A(i,3)
E = sum(A); // ERROR[E112] 5: 'sum' is not a function; a reduction names its indices, as in sum(j: x(i,j))
F = A / 2; // ERROR[E107] 7: expected ';', found '/'; a matrix is scaled by a number, 0.5 * A
