param N;
tensor i32 k(N);
tensor f32 x(N);
twice(i) = 2 * x(i);
out y(i) = twice(k(i)); // ERROR[E293] 12: 'twice' is made by the program: data tell positions of inputs only
