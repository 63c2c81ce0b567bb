param N;
tensor i32 k(N);
out y(i) = k(i) + 99999999999999999999; // ERROR[E117] 19: a whole number is at most 2^53
