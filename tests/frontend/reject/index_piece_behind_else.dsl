param N;
tensor f32 x(N);
out y(i) = case { else: 0; i == 0: x(i); }; // ERROR[E107] 28: expected '}', found 'i'
