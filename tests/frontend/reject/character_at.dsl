Matrix A(2,2);
B = A @ A; // ERROR[E101] 7: unexpected '@'; a product of matrices is A * B
