param N;
tensor f32 x(N);
out y(i) for i < N = x(i); // ERROR[E230] 7: 'i' has no bound below
