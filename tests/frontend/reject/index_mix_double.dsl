param N;
tensor f32 x(N);
tensor f64 d(N);
out y(i) = x(i) * d(i); // ERROR[E226] 17: '*' mixes f32 and f64; convert one of them, as in f32(x)
