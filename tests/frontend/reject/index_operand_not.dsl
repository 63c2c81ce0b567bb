param N;
tensor i32 k(N);
out y(i) = not k(i); // ERROR[E227] 12: 'not' does not work on i32
