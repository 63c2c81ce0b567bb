param N;
tensor f32 x(N);
out y(i) = x(i) * i; // ERROR[E226] 17: '*' mixes f32 and an index; convert one of them, as in f32(x)
