param N;
tensor i32 k(N);
tensor f32 x(N);
h(b) for 0 <= b < 9 = 0.5;
out h(k(i)) += k(i); // ERROR[E295] 5: 'h' starts as a number with a point and is updated by i32
out g(b) for 0 <= b < 9 = 1;
g(x(i)) += 1; // ERROR[E292] 3: a position is an integer, not f32
