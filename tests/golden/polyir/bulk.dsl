// Check that copies of whole rows are in bulk if the configuration says so: those of
// B, but not those of A, which transpose; both where A is transposed. Not if nothing
// is said, nor where a row of B has no whole runs of 16 bytes, where its last tile is
// part of one, where its last rows are missing, or where the target has no such
// copies. (A program that says so of a copy that has no whole rows is refused.)
// RUN: printf 'cetane-config 1\ncopies bulk\n' > %t.cfg
// RUN: printf 'cetane-config 1\ncopies bulk\ncopies async\n' > %t.2.cfg
// RUN: %cetane build %s --config=%t.cfg --emit=poly -o %t.poly
// RUN: FileCheck %s < %t.poly
// RUN: %cetane build %s --config=%t.cfg --emit=poly -o - --dump-after=pipeline 2>&1 \
// RUN:   | FileCheck %s
// RUN: sed 's/A \* B/A^T * B/' %s > %t.dsl
// RUN: %cetane build %t.dsl --config=%t.cfg --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=BOTH
// RUN: %cetane build %s --emit=poly -o - | FileCheck %s --check-prefix=NONE
// RUN: %cetane build %s --config=%t.2.cfg --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: %cetane build %s --config=%t.cfg --arch=sm_80 --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: for n in 2046 2040; do sed "s/B(2048,2048)/B(2048,$n)/" %s > %t.dsl; \
// RUN:   %cetane build %t.dsl --config=%t.cfg --emit=poly -o - \
// RUN:     | FileCheck %s --check-prefix=NONE || exit 1; done
// RUN: sed 's/2048); Matrix B(2048/2047); Matrix B(2047/' %s > %t.dsl
// RUN: %cetane build %t.dsl --config=%t.cfg --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: sed 's/coalesce 0 async/coalesce 0 async bulk/' %t.poly > %t.2.poly
// RUN: not %cetane build %t.2.poly --from=poly -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REFUSED
// RUN: %cetane inspect %s --config=%t.cfg --access | FileCheck %s --check-prefix=SEEN
// CHECK:      stmt A_copy copy
// CHECK:        fill 0 coalesce 0 async{{$}}
// CHECK:      stmt B_copy copy
// CHECK:        fill 0 coalesce 1 async bulk
// CHECK:        wait C_mul_tile ahead 1
// BOTH:         fill 0 coalesce 1 async bulk
// BOTH:         fill 0 coalesce 1 async bulk
// NONE-NOT:   async bulk
// NONE:         async{{$}}
// NONE-NOT:   async bulk
// REFUSED:    error[E314]: {{.*}}A_copy copies rows in bulk that are not whole
// SEEN-NOT:   in bulk
// SEEN:       reads {{ *}}B {{.*}}, in bulk
// SEEN-NEXT:  writes B_shared {{.*}}, in bulk
// SEEN-NOT:   in bulk
Matrix A(2048,2048); Matrix B(2048,2048);
C = A * B;
CodeGen(FLOAT, {C});
