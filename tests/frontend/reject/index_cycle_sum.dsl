param N;
tensor f32 x(N);
out y(i) for 0<=i<N = x(i) + sum(j for 0<=j<N: y(j)); // ERROR[E242] 5: a value needs itself: y[0] needs y[0]
