// Check that tiles of three warpgroups are chosen where those of two leave the last round of
// blocks idle: 13184 x 1408 in bf16 are 759 tiles of 192 x 128, 5.75 rounds of 132 blocks,
// and 618 of 128 x 256, 4.7 rounds.
// RUN: %cetane build %s --arch=sm_90a --emit=poly -o - | FileCheck %s
// CHECK:         kernel {{.*}} tiled thread 96 4 tile 192 128 64 {{.*}} blocks 132
Matrix A(13184,1280); Matrix B(1280,1408);
C = A * B;
CodeGen(BFLOAT16, {C});
