param N;
tensor f32 x(N);
out y(i) = x(i) * x; // ERROR[E221] 19: 'x' has 1 index, found 0
