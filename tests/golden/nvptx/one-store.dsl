// Check that a kernel stores the outputs and nothing else (FEATURES D9): T is
// no argument, inputs are only read, and each element is stored once.
// RUN: %cetane build %s --emit=llvm -o - | FileCheck %s
// CHECK:     define {{.*}}_C({{[^)]*}}) noalias readonly align 16 %A, {{[^)]*}}) noalias readonly align 16 %B, {{[^)]*}}) noalias readonly align 16 %V, {{[^)]*}}) noalias align 16 %C)
// CHECK-COUNT-8: store float {{[^,]*}}, ptr addrspace(1)
// CHECK-NOT: store {{.*}} addrspace(1)
Matrix A(128,64); Matrix B(64,128); Matrix V(1,128);
T = A * B;
C = T + V;
CodeGen(FLOAT, {C});
