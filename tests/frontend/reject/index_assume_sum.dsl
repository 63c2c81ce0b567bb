param N;
assume N > 1, sum(i: 1) > N; // ERROR[E222] 15: this has to be affine
out y() = 1;
