param N;
tensor f32 x(N);
out y(t) = y(t-1) + x(t); // ERROR[E235] 7: the range of 't' follows from itself; write it behind 'for'
out z(t) = z(t-1); // ERROR[E229] 7: the range of 't' cannot be inferred; write it behind 'for'
