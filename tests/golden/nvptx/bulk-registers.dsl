// Check that ptxas has registers for kernels that copy in bulk.
// REQUIRES: ptxas
// RUN: printf 'cetane-config 1\ncopies bulk\n' > %t.cfg
// RUN: for arch in sm_90a sm_100a; do for form in 'A ' 'A^T '; do \
// RUN:   for type in FLOAT HALF; do \
// RUN:     sed "s/A \*/$form*/; s/FLOAT,/$type,/" %s > %t.dsl; \
// RUN:     %cetane build %t.dsl --config=%t.cfg --arch=$arch --emit=cubin \
// RUN:       -o %t.cubin 2>&1 || exit 1; done; done; done | FileCheck %s
// CHECK-NOT: {{[1-9][0-9]*}} bytes {{stack|spill}}
// CHECK-COUNT-8: registers, 0 bytes stack
// CHECK-NOT: {{[1-9][0-9]*}} bytes {{stack|spill}}
Matrix A(2048,2048); Matrix B(2048,2048);
C = A * B;
CodeGen(FLOAT, {C});
