param N;
tensor f32 x(N);
out y(i) = x(i%4); // ERROR[E229] 7: the range of 'i' cannot be inferred; write it behind 'for'
