param N;
tensor f32 x(N);
out y(i) = x(i,i); // ERROR[E221] 12: 'x' has 1 index, found 2
