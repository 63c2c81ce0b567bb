# Two products that become one kernel.
param N;
tensor f32 A(N,N), C(N,N);
CC(i,j) += C(i,k) * C(k,j);
out D(i,j) += A(i,k) * CC(k,j);
