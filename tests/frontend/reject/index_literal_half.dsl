param N;
tensor f32 x(N);
out y(i) = f16(x(i)) + 1e6; // ERROR[E215] 24: 1000000 is out of the range of f16
