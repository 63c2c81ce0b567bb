param N;
tensor f32 x(N);
out y(i) = sum(x(i)); // ERROR[E201] 12: 'sum' is not defined; a reduction names its indices, as in sum(j: x(i,j))
out z(i) = where(x(i)); // ERROR[E201] 12: 'where' is not defined; a choice is c ? a : b
