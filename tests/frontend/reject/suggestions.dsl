Params Rows, Cols;
Matrix Weight(Rows,Cols);
Matrix Y(Row,Cols); // ERROR[E202] 10: 'Row' is not declared by Params; did you mean Rows
B = Wieght * 2; // ERROR[E201] 5: 'Wieght' is not defined; did you mean Weight
C = weight * 1; // ERROR[E201] 5: 'weight' is not defined; did you mean Weight
D = B * Z; // ERROR[E201] 9: 'Z' is not defined
E = tahn * B; // ERROR[E201] 5: 'tahn' is not defined; did you mean tanh
