param N;
tensor f32 x(N);
y(i) = x(i);
B = y * y; // ERROR[E236] 5: 'y' is no matrix: two indices from 0 to a size // ERROR[E236] 9: 'y' is no matrix: two indices from 0 to a size

