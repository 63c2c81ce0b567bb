param N; // ERROR[E219] -: the program defines no matrix
tensor f32 x(N);

