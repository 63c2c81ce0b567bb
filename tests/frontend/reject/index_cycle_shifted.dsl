param N;
tensor f32 x(N);
a(i) for 0<=i<=N = case { i == 0: 0; else: b(i-1); }; // ERROR[E242] 1: a value needs itself: a[1] needs b[0] needs a[1]
out b(i) for 0<=i<N = a(i+1) + x(i);
