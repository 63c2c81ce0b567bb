param N, M;
tensor f32 x(N), z(1,1,1,1,1,1,1,1,1); // ERROR[E118] 36: a tensor has at most 8 indices
out y(i) = x(i);
