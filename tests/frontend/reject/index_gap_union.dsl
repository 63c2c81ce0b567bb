param N, M;
tensor f32 x(N,M);
out z(i,j) for 0<=i<N, 0<=j<M = case { i == j and i < 3: x(i,j); i > j + 1: 0; }; // ERROR[E238] 5: no piece has a value for z[i = 0, j = 1] with N = 1, M = 2, and others
