param N;
tensor f32 x(N);
out y(i) = ; // ERROR[E107] 12: expected an expression, found ';'
out z(i) = x(i);
