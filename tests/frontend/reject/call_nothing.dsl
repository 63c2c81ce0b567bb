param N;
tensor f32 A(N);
out B(i) = A(i) + 1;
nest nothing(param N, f32 B[N]) { } // ERROR[E271] 1: changes nothing
nothing(B);
