Params M, N;
Matix A(M,N); // ERROR[E107] 7: expected '=', found 'A'; did you mean Matrix
return A; // ERROR[E107] 8: expected '=', found 'A'; outputs are named by CodeGen(FLOAT, {C})
float B = A; // ERROR[E107] 7: expected '=', found 'B'; a loop or a function in C is a program
A B = A; // ERROR[E107] 3: expected '=', found 'B'
