// Quotients of numbers far below what 32 bits hold: what is subtracted from an
// index may pass 2^31, though the index and the quotient are small.
param N;
tensor f32 x(N);
out z(i,j) for 0 <= i < N, 0 <= j < 3 = x(N - 1 + (j - 400000001*i)/1073741789);
