param N;
tensor f32 x(N);
out y(i) = x(i) + sum(j: 1); // ERROR[E229] 23: the range of 'j' cannot be inferred; write it behind 'for'
