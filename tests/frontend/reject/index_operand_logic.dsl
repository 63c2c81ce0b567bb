param N;
tensor f32 x(N);
out y(i) = x(i) and true; // ERROR[E226] 17: 'and' mixes f32 and bool; convert one of them, as in f32(x)
