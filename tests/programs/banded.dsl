# Band matrices in LAPACK's storage: row K + i - j holds the diagonal i - j.
param N;
tensor f32 A(6,N), x(N);
out gbmv(i) for 0<=i<N = sum(j for i-3<=j<=i+2, 0<=j<N: A(2+i-j,j) * x(j));
out tbsv(i) for 0<=i<N = x(i) - sum(j for i-3<=j<i, 0<=j: A(2+i-j,j) * tbsv(j));
