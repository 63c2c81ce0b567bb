// Check that a kernel stores the outputs and nothing else (FEATURES D9): T is
// no argument, inputs are only read, and each element is stored once.
// RUN: %cetane build %s --emit=llvm -o - | FileCheck %s
// RUN: %cetane build %s --emit=ptx -o - | grep -c st.global \
// RUN:   | FileCheck %s --check-prefix=COUNT
// COUNT:     {{^}}64{{$}}
// CHECK:     define {{.*}}_C({{[^)]*}}) noalias readonly %A, {{[^)]*}}) noalias readonly %B, {{[^)]*}}) noalias readonly %V, {{[^)]*}}) noalias %C)
// CHECK-COUNT-64: store float {{[^,]*}}, ptr addrspace(1)
// CHECK-NOT: store {{.*}} addrspace(1)
Matrix A(128,64); Matrix B(64,128); Matrix V(1,128);
T = A * B;
C = T + V;
CodeGen(FLOAT, {C});
