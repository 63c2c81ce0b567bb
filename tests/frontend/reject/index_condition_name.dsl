param N;
tensor f32 x(N);
out y(i) for i = x(i); // ERROR[E223] 14: a condition is made of comparisons; '?:' chooses by values
