Params M;
Matrix A(M,M); // ERROR[E219] -: the program defines no matrix
