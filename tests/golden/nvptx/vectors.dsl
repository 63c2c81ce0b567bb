// Check the inner loop of a product: operands from shared memory, one fma a
// step and element, no local memory, and nothing approximate.
// RUN: %cetane build %s --emit=ptx -o - | FileCheck %s
// RUN: %cetane build %s --emit=ptx -o - | grep -c bar.sync \
// RUN:   | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}2{{$}}
// CHECK:     cp.async
// CHECK:     bar.sync {{.*}}0
// CHECK:     ld.shared.v4
// CHECK-COUNT-64: fma.rn.f32
// CHECK-NOT: .local
// CHECK-NOT: .approx
Params M, K, N;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});
