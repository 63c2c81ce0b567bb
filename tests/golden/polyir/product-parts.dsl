// Check that a product of few tiles and a long sum is divided: parts that lie
// side by side, one more digit of the grid, and a second kernel that adds them
// and goes on, with what it computes in registers, in a thread for each point, as these
// are few; that a fixed order or parameters keep it whole, and so does a product of many tiles.
// RUN: %cetane build %s -D M=64 -D N=96 -D K=4000 --emit=poly -o - | FileCheck %s
// RUN: %cetane build %s -D M=64 -D N=96 -D K=4000 --fp=strict --emit=poly -o - | FileCheck %s --check-prefix=WHOLE
// RUN: %cetane build %s --emit=poly -o - | FileCheck %s --check-prefix=WHOLE
// RUN: %cetane build %s -D M=4096 -D N=4096 -D K=4000 --emit=poly -o - | FileCheck %s --check-prefix=WHOLE
// CHECK:     array T f32 temp register
// CHECK:     array T_part f32 temp global "[M, N] -> { T_part[([[P:[0-9]+]]), (M), (N)] }"
// CHECK:     stmt T_mul point {{.*}} k_step < K - [[Q:[0-9]+]]k_part }
// CHECK:     value (mul (read A {{.*}}[(i), ([[Q]]k_part + k_step)]
// CHECK:     stmt T_mul_end point {{.*}} T_mul_end[i, j]
// CHECK:     reduce add
// CHECK:     value (add (add (add
// CHECK:     kernel {{.*}}_T_part tiled {{.*}} batch "{ [([[P]])] }"
// CHECK:     kernel {{.*}}_C naive thread 2 32 tile 2 32 0 grid
// WHOLE-NOT: T_part
// WHOLE:     kernel {{.*}} tiled
// WHOLE-NOT: mark
// WHOLE:     mark kernel:{{.*}}_C
// WHOLE-NOT: mark
//
// Parts are as many as fill the device twice; where elements are copied one by one,
// once does as well if these are fewer steps of each multiprocessor: 480, not 2 x 256.
// RUN: %cetane build %s -D M=937 -D N=937 -D K=937 --arch=sm_90a --emit=poly -o - | FileCheck %s --check-prefix=TWO
// RUN: %cetane build %s -D M=1008 -D N=1008 -D K=1008 --arch=sm_90a --emit=poly -o - | FileCheck %s --check-prefix=FOUR
// RUN: %cetane build %s -D M=641 -D N=641 -D K=641 --arch=sm_90a --emit=poly -o - | FileCheck %s --check-prefix=SEVEN
// TWO:  T_part[(2), (M),
// FOUR: T_part[(4), (M), (N)]
// SEVEN: T_part[(7), (M),
//
// Their rows are whole lines of 128 bytes, which all begin, where those of the
// product are not, so that their stores need not be single ones.
// RUN: %cetane build %s -D M=1001 -D N=1001 -D K=1001 --arch=sm_90a --emit=poly -o - | FileCheck %s --check-prefix=ROWS
// RUN: %cetane build %s -D M=1001 -D N=1001 -D K=1001 --arch=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=STORES
// ROWS:   T_part[(4), (M), (31 + N - (-1 + N) mod 32)]
// ROWS:   stmt T_mul_begin point {{.*}} 32*floor((j)/32) < N }
// ROWS:   stmt T_mul point {{.*}} j < N
// STORES: .entry {{.*}}_T_part(
// STORES-NOT: st.global.b32
// STORES: st.global.v4.b32
// STORES-NOT: st.global.b32
// STORES: .entry
//
// Short rows are whole runs of 16 bytes.
// RUN: %cetane build %s -D M=64 -D N=33 -D K=4001 --arch=sm_90a --emit=poly -o - | FileCheck %s --check-prefix=SHORT
// SHORT: T_part[({{[0-9]+}}), (M), (3 + N - (-1 + N) mod 4)]
//
// Where elements are copied one by one, small tiles have columns of steps, too, if
// rows are many; where the rows of one operand are whole runs they have not.
// RUN: %cetane build %s -D M=361 -D N=361 -D K=361 --arch=sm_90a --emit=poly -o - | FileCheck %s --check-prefix=COLUMNS
// RUN: %cetane build %s -D M=361 -D N=361 -D K=364 --arch=sm_90a --emit=poly -o - | FileCheck %s --check-prefix=RUNS
// RUN: %cetane build %s -D M=70 -D N=773 -D K=1017 --arch=sm_90a --emit=poly -o - | FileCheck %s --check-prefix=RUNS
// COLUMNS: kernel {{.*}}_T_part tiled thread 16 8 tile 128 64 32 vec 4 4 stages
// RUNS:    kernel {{.*}}_T_part tiled {{.*}} vec 1 4 steps 4 stages
//
// A rest is cut off what is divided itself; blocks of many rows, which take long to
// copy from, are not what it is cut into.
// RUN: %cetane build %s -D M=1481 -D N=1481 -D K=1481 --arch=sm_90a --emit=poly -o - | FileCheck %s --check-prefix=CUT
// CUT-DAG: kernel {{.*}}_T_part tiled thread 8 16 tile 128 128 {{.*}} batch "{ [(2)] }"
// CUT-DAG: kernel {{.*}}_T_part2 tiled thread 4 32 tile 16 512 {{.*}} batch "{ [(16)] }"
Params M, N, K;
Matrix A(M,K); Matrix B(K,N); Matrix V(1,N);
T = A * B;
C = ReLU(T + V);
CodeGen(FLOAT, {C});
