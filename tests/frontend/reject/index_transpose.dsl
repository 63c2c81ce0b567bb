param N, M;
tensor f32 A(N,M);
out y(i) = transpose(A(i,0)); // ERROR[E120] 12: transpose works on matrices, not on single values
