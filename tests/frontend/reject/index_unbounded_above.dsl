param N;
tensor f32 x(N);
out y(i) for 0 <= i = x(i); // ERROR[E230] 7: 'i' has no bound above
