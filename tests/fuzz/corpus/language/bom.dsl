Matrix A(2,2);
B=A;
