param N;
tensor f32 x(N);
out y() = sum(x); // ERROR[E201] 11: 'sum' is not defined // ERROR[E221] 15: 'x' has 1 index, found 0
