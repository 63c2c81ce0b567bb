param N;
tensor f32 x(N);
out y(t) = z(t-1) + x(t);
out z(t) = y(t); // ERROR[E235] 7: the range of 't' follows from itself; write it behind 'for'
out w(t) = w(t-1); // ERROR[E229] 7: the range of 't' cannot be inferred; write it behind 'for'
