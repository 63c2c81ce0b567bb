param N;
tensor f32 x(N);
out y() = x(0); // ERROR[E240] 11: 'x' is read outside its domain, for [N] -> { y[] : N = 0 }
