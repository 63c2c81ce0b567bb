param N;
tensor f32 x(N);
out y(i) = (x(i) > 0) + 1; // ERROR[E226] 23: '+' mixes bool and a whole number; convert one of them, as in f32(x)
