// Check that the elements of B that a thread copies in a turn of the product's
// loop lie in one row, also if they are as many as the warps of a block, so that
// their addresses differ by constants; not if rows go by runs.
// RUN: %cetane build %s -DM=1001 -DN=1001 -DK=1001 --emit=ptx --arch=sm_90a -o - | FileCheck %s
// RUN: %cetane build %s -DM=1001 -DN=1004 -DK=1001 --emit=ptx --arch=sm_90a -o - | FileCheck %s --check-prefix=RUNS
// CHECK:     cp.async.ca.shared.global [{{.*}}], {{\[}}[[AT:%rd[0-9]+]]+-384], 4, 4;
// CHECK:     cp.async.ca.shared.global [{{.*}}], {{\[}}[[AT]]+-256], 4, 4;
// CHECK:     cp.async.ca.shared.global [{{.*}}], {{\[}}[[AT]]+-128], 4, 4;
// CHECK:     cp.async.ca.shared.global [{{.*}}], {{\[}}[[AT]]], 4, 4;
// RUNS-NOT:  -128], 4, 4;
// RUNS:      cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16
Params M, K, N;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});
