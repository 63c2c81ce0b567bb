// Check that isl alone fuses A+B into the product's nest and leaves C+D alone
// (FEATURES D22): two nests, the fused one with a single parallel dimension.
// RUN: %cetane build %s --emit=ptx -o /dev/null --dump-after=schedule 2>&1 \
// RUN:   | FileCheck %s
// CHECK:      {{^}}schedule
// CHECK:        sequence
// CHECK-NEXT:     filter "{{.*}}{ F_add[i, j]
// CHECK-NEXT:       band permutable coincident 1 1
// CHECK:          filter "{{.*}}{ E_add[i, j]
// CHECK:            band permutable coincident 1 "
// CHECK:              sequence
// CHECK-NOT:  mark
Params M, K, N;
Matrix A(M,K); Matrix B(M,K); Matrix C(K,N); Matrix D(K,N);
E = A + B; F = C + D; G = E * F;
CodeGen(FLOAT, {G});
