param N;
tensor i32 k(N);
h(b) for 0 <= b < 9 = i32(0);
out h(k(i)) += h(0); // ERROR[E296] 16: 'h' is updated by a value that needs it
