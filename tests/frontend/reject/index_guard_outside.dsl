param N;
tensor f32 x(N);
out y(i) for 0<=i<N = case { i == 0 or x(i-1) > x(i+1): x(i); else: 0; }; // ERROR[E240] 49: 
