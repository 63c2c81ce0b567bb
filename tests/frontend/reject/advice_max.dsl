param N;
tensor f32 x(N);
out y() = max(x); // ERROR[E113] 11: max takes 2 arguments, found 1; that of all elements names its indices, as in max(j: x(i,j))
out z() = min(x); // ERROR[E113] 11: min takes 2 arguments, found 1; that of all elements names its indices, as in min(j: x(i,j))
