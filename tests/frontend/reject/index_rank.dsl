param N;
tensor f32 x(N);
out y(a,b,c,d,e,f,g,h,i) = x(a); // ERROR[E118] 23: a tensor has at most 8 indices
