param N;
tensor i32 k(N);
out y(i) = k(i) + 0.5; // ERROR[E226] 17: '+' mixes i32 and a number with a point; convert one of them, as in f3
