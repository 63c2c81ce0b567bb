param N;
tensor f32 x(N);
out y(i) = case { x(i) > 0: 1; y(i) > 0: x(i); else: 0; }; // ERROR[E242] 5: 
