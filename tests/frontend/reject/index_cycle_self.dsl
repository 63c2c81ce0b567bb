param N;
tensor f32 x(N);
out y(i) for 0<=i<N = y(i) + x(i); // ERROR[E242] 5: a value needs itself: y[0] needs y[0]
