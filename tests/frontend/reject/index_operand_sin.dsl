param N;
tensor i32 k(N);
out y(i) = sin(k(i)); // ERROR[E227] 12: 'sin' does not work on i32; convert it, as in sin(f32(x))
