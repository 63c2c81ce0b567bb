param N;
tensor f32 x(N);
out y(i,j) = x(i+j); // ERROR[E229] 7: the range of 'i' cannot be inferred; write it behind 'for' // ERROR[E229] 9: the range of 'j' cannot be inferred; write it behind 'for'
