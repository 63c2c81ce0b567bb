Matrix A(1024,1024);
Matrix B(1024,1024);
Matrix C(1024,1024);
Matrix D(1024,1024);
E=A+B;
F=C+D;
G=E*F;
CodeGen(FLOAT, {G});
