param N;
tensor f32 x(N);
out y(i) = case { i == 0: 1 +; i == 1: 2; else: x(i); }; // ERROR[E107] 30: expected an expression, found ';'
out z(i) = x(i) +; // ERROR[E107] 18: expected an expression, found ';'
out w(i) = x(i);
