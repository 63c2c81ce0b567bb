// Check that the IR is for reading: the tree as a comment on top, names of the
// source for kernels, arrays and sizes, and a debug location a statement.
// RUN: %cetane build %s --emit=llvm -o - | FileCheck %s
// CHECK:      ; domain
// CHECK:      ; {{ *}}mark kernel:[[K:.*_E]]
// CHECK:      source_filename = "readable"
// CHECK:      define ptx_kernel void @[[K]](ptr addrspace(1) {{[^,]*}} %A, {{.*}} %B, {{.*}} %E, i64 %M.arg
// CHECK:      %M = trunc i64 %M.arg to i32
// CHECK:      %D = alloca
// CHECK:      for.k.tile:
// CHECK:      call void @llvm.nvvm.cp.async{{.*}}, !dbg ![[LOC:[0-9]+]]
// CHECK:      emissionKind: DebugDirectivesOnly
// CHECK:      ![[LOC]] = !DILocation(line: [[#@LINE+4]], column: 7
Params M, K, N;
Matrix A(M,K);
Matrix B(K,N);
D = A * B;
E = ReLU(D);
CodeGen(FLOAT, {E});
