param N;
tensor f32 x(N);
out y(i) = i8(2.5) + i8(300) + i8(x(i)); // ERROR[E215] 25: 300 is out of the range of i8
