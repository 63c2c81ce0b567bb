// Check that the kernel of rows some of which are made in pieces, in front of it, waits for
// these where it reads them alone, and the first of its blocks in the end. Of four rows
// the launch that looks for long ones loads all bounds before it asks for any.
// RUN: %cetane build %s --arch=sm_90a --emit=ptx -o - | FileCheck %s
// RUN: %cetane build %s --arch=sm_89 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=OLDER
// CHECK:      .entry early_help_y$long(
// CHECK-NOT:  ld.global
// CHECK:      griddepcontrol.wait;
// CHECK-NEXT: griddepcontrol.launch_dependents;
// CHECK-NOT:  atom
// CHECK-COUNT-8: ld.global.nc
// CHECK:      atom.global.add.u64
// CHECK:      .entry early_help_y$pieces(
// CHECK-NOT:  ld.global
// CHECK:      griddepcontrol.wait;
// CHECK-NEXT: griddepcontrol.launch_dependents;
// CHECK:      .entry early_help_y(
// CHECK-NOT:  griddepcontrol.wait
// CHECK:      griddepcontrol.launch_dependents;
// CHECK:      ld.global.nc
// CHECK:      griddepcontrol.wait;
// CHECK:      st.global
// CHECK:      %ctaid.x
// CHECK:      griddepcontrol.wait;
// CHECK-NOT:  griddepcontrol
// OLDER:      .entry
// OLDER-NOT:  griddepcontrol
param N, M, Z;
tensor i32 row(N+1), col(Z);
tensor f32 val(Z), x(M);
out y(i) = sum(j for row(i) <= j < row(i+1): val(j) * x(col(j)));
