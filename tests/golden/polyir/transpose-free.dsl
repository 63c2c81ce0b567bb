// Check that transposes are index functions (FEATURES D15): no statement and
// no array for them, and A^T^T reads A as it is.
// RUN: %cetane build %s --emit=poly -o - | FileCheck %s
// CHECK-NOT: array {{[^A-D]}}
// CHECK:     read A "{{.*}}[i, j] -> A[(i), (j)] }"
// CHECK:     read B "{{.*}}[i, j] -> B[(j), (i)] }"
// CHECK:     kernel
// CHECK-NOT: kernel {{.*}} grid
Params M, N;
Matrix A(M,N); Matrix B(N,M);
C = A^T^T + B^T;
CodeGen(FLOAT, {C});
