param N;
tensor f32 x(N);
out y(i) = x(i) > 0 ? x(i); // ERROR[E107] 27: expected ':', found ';'
