param N;
tensor f32 x(N);
out y(i) = x(i) // ERROR[E107] 16: expected ';', found 'out'
out z(i) = x(i);
