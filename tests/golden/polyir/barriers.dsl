// Check where barriers go: one between the copies and the product, one behind
// it for the next round of copies; none elsewhere. (Words are copied
// asynchronously, see pipeline.dsl; halves are not.)
// RUN: %cetane build %s --emit=ast -o - | FileCheck %s
// CHECK:      _init(
// CHECK-NEXT: for (int [[K:c[0-9]+]]
// CHECK-NEXT:   A_copy({{.*}}, [[K]]);
// CHECK-NEXT:   B_copy({{.*}}, [[K]]);
// CHECK-NEXT:   {{.*}}_sync({{.*}}, [[K]]);
// CHECK-NEXT:   {{.*}}_tile({{.*}}, [[K]]);
// CHECK-NEXT:   {{.*}}_sync2({{.*}}, [[K]]);
// CHECK-NEXT: }
// CHECK-NEXT: _points(
// CHECK-NOT:  _sync
Params M, N, K;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(HALF, {C});
