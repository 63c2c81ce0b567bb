param N, M;
tensor f32 A(N,M);
out y(i) += case { i == 0: 0; else: A(i,j); }; // ERROR[E107] 13: expected an expression, found 'case'
