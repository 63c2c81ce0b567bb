param N;
tensor f32 x(N);
out y(i) = case { i == 0: 0; else: x(i); ; // ERROR[E107] 42: expected '}', found ';'
