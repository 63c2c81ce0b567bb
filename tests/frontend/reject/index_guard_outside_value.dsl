param N;
tensor f32 x(N);
out y(i) for 0<=i<N = case { x(i) > 0: x(i+1); else: 0; }; // ERROR[E240] 40: 
