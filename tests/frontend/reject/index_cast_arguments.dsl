param N;
tensor f32 x(N);
out y(i) = f64(x(i), x(i)); // ERROR[E113] 12: f64 takes 1 argument, found 2
