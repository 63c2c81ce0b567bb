param N;
tensor i32 k(N);
out y(i) = k(i) ? 1 : 2; // ERROR[E227] 17: '?' does not work on i32
