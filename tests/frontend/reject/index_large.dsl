param N;
tensor i32 k(N);
out y(i) = k(i) + 99999999999999999999; // ERROR[E117] 19: a whole number is at most 2^53
out z(i) = k(i) + 9007199254740993; // ERROR[E117] 19: a whole number is at most 2^53
out w(i) = k(i) + 009007199254740994; // ERROR[E117] 19: a whole number is at most 2^53
