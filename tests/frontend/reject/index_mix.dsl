param N;
tensor f32 x(N);
tensor i32 k(N);
out y(i) = x(i) + k(i); // ERROR[E226] 17: '+' mixes f32 and i32; convert one of them, as in f32(x)
