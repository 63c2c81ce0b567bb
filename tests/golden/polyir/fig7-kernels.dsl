// Check that the mapping does not inherit the fusion of the scheduler: the
// producers of the product's operands are kernels of their own, and every
// kernel has two parallel dimensions.
// RUN: %cetane build %s --emit=ptx -o /dev/null --dump-after=map_points 2>&1 \
// RUN:   | FileCheck %s
// CHECK:     mark kernel:[[F:.*_F]]
// CHECK:     band permutable coincident 1 1
// CHECK:     mark kernel:[[E:.*_E]]
// CHECK:     band permutable coincident 1 1
// CHECK:     mark kernel:[[G:.*_G]]
// CHECK:     band permutable coincident 1 1
// CHECK-NOT: mark
Params M, K, N;
Matrix A(M,K); Matrix B(M,K); Matrix C(K,N); Matrix D(K,N);
E = A + B; F = C + D; G = E * F;
CodeGen(FLOAT, {G});
