param N;
tensor f32 x(N);
out y(i) = sin(x(i), 2) + atan2(x(i)); // ERROR[E113] 12: sin takes 1 argument, found 2
