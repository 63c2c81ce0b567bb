# What a maximum is taken away from is one of its numbers: the exponent says that it is
# not positive. It says so of no other number (another row's, of columns that have no part
# in the maximum, one that is scaled).
# RUN: %cetane build %s -DM=6 -DN=70 --emit=poly -o - | FileCheck %s
# RUN: %cetane run %s -DM=6 -DN=70 --device=host --sanitize=all
# CHECK-DAG: (exp (neg (abs {{.*}}softmax_def
# CHECK-DAG: (exp (neg (abs {{.*}}inside_def
# CHECK-DAG: (exp (sub {{.*}}other_def
# CHECK-DAG: (exp (sub {{.*}}outside_def
# CHECK-DAG: (exp (sub {{.*}}scaled_def
# CHECK-DAG: (exp (sub {{.*}}least_def
param M, N;
tensor f32 X(M,N);
top(i) = max(j: X(i,j));
part(i) = max(j for 0 <= j < 50: X(i,j));
low(i) = min(j: X(i,j));
out softmax(i,j) = exp(X(i,j) - top(i));
out inside(i,j) for 0 <= i < M, 7 <= j < 50 = exp(X(i,j) - part(i));
out other(i,j) for 0 <= i < M, 0 <= j < N = exp(X(i,j) - top(M-1-i));
out outside(i,j) for 0 <= i < M, 0 <= j <= 50 = exp(X(i,j) - part(i));
out scaled(i,j) for 0 <= i < M, 0 <= j < N = exp(2 * X(i,j) - top(i));
out least(i,j) for 0 <= i < M, 0 <= j < N = exp(X(i,j) - low(i));
