param N;
tensor i32 k(N);
tensor f32 x(N);
half(i,j) for 0 <= j <= i < N = x(i) * x(j);
out y(i) = half(k(i),0); // ERROR[E293] 12: data cannot tell positions of 'half': its values do not fill a box
