// Check that copies of elements which are smaller than a word move runs of
// them without waiting, where rows are multiples of a run, and each by itself
// where they are not.
// RUN: %cetane build %s -DM=64 -DN=64 -DK=64 --emit=ptx --fp=strict --arch=sm_90a -o - | FileCheck %s --check-prefix=RUNS
// RUN: %cetane build %s -DM=64 -DN=63 -DK=64 --emit=ptx --fp=strict --arch=sm_90a -o - | FileCheck %s --check-prefix=ONE
// RUN: %cetane build %s -DM=64 -DN=63 -DK=63 --emit=ptx --fp=strict --arch=sm_90a -o - | FileCheck %s --check-prefix=NONE
// RUNS-DAG: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 8, 8;
// RUNS-DAG: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, 16;
// RUNS:     cp.async.wait_group
// ONE-NOT:  cp.async.cg
// ONE:      cp.async.ca.shared.global [{{.*}}], [{{.*}}], 8, 8;
// ONE:      st.shared.b16
// NONE-NOT: cp.async
// NONE:     st.shared.b16
Params M, K, N;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(HALF, {C});
