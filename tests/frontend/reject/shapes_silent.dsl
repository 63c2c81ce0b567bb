// An error in a part is reported once, and its users are not.
Matrix A(2,3); Matrix B(3,2);
C = ReLU((A + B) * A) + A; // ERROR[E205] 13: the shapes (2,3) and (3,2)
D = C + A;
