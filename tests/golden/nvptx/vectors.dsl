// Check the inner loop of a product: operands from shared memory, one fma a
// step and element, no local memory, and nothing approximate.
// RUN: %cetane build %s --emit=ptx -o - | FileCheck %s
// RUN: %cetane build %s --emit=ptx -o - | grep -c bar.sync \
// RUN:   | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}2{{$}}
// CHECK:     st.shared
// CHECK:     bar.sync {{.*}}0
// CHECK:     ld.shared
// CHECK-COUNT-16: fma.rn.f32
// CHECK-NOT: .local
// CHECK-NOT: .approx
Params M, K, N;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});
