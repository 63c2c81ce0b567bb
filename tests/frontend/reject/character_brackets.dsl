param N;
tensor f32 a(N,N);
y(i,j) = a[i][j] + a[j][i] * a[i][i]; // ERROR[E101] 11: unexpected '['; elements are read as in A(i,j)
out z(i) = y(i,i) @ a[i][0]; // ERROR[E101] 19: unexpected '@'
