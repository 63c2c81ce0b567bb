param N M; // ERROR[E107] 9: expected ',' or ';', found 'M'
tensor f32 x(N) y(N); // ERROR[E107] 17: expected ',' or ';', found 'y'
out z(i) = 2*i;
