// ARGS: N=2
param N;
tensor f32 x(N);
assume N >= 3; // ERROR[E241] 10: no sizes meet the assumptions
out y(i) = x(i);
