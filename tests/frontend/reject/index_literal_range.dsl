param N;
tensor u8 b(N);
out y(i) = b(i) + 256; // ERROR[E215] 19: 256 is out of the range of u8
