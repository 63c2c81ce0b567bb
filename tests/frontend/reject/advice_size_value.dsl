param N = 8; // ERROR[E107] 9: expected ';', found '='; a size has its value from outside
tensor f32 x(N);
out y(i) = x(i);
