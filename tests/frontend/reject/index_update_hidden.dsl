param N;
tensor i32 k(N);
out q(b) for 0 <= b < 9 = i32(1);
q(k(i)) += b; // ERROR[E229] 12: the range of 'b' cannot be inferred
