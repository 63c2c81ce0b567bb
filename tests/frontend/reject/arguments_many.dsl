Matrix A(2,2);
B = ReLU(A, A); // ERROR[E113] 5: ReLU takes 1 argument, found 2
C = max(A, A, A); // ERROR[E113] 5: max takes 2 arguments, found 3
D = transpose(A, A); // ERROR[E113] 5: transpose takes 1 argument, found 2
