param N;
tensor f32 x(N);
a(i) for 0<=i<N = b(i); // ERROR[E242] 1: a value needs itself: a[0] needs b[0] needs a[0]
out b(i) for 0<=i<N = a(i) + x(i);
