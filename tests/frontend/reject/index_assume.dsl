param N, M;
tensor f32 x(N);
assume N > M, M > N; // ERROR[E241] 10: no sizes meet the assumptions
out y(i) = x(i);
