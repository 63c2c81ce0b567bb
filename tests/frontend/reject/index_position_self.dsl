param N;
tensor i32 k(N);
out y(i) = case { i == 0: k(0); else: y(k(i)) + 1; }; // ERROR[E293] 39: data cannot tell positions of 'y': it needs the value that is read there
