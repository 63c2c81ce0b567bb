// Check that copies go one by one along rows that have one element, whatever
// the number of rows: what is behind it is not aligned.
// RUN: %cetane build %s -DM=2 -DN=4636 -DK=1 --emit=ptx --arch=sm_90a -o - | FileCheck %s
// CHECK: .visible .entry
// CHECK-NOT: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 8,
// CHECK: st.global
Params M, K, N;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});
