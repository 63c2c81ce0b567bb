#!/bin/sh
# Write every stage of stages.dsl, edit one, and go on from there.
#	stages.sh [CETANE]
set -eu
cetane=${1:-cetane}
sizes="-D M=70 -D K=20 -D N=90"

# 1. Everything between the text and PTX, as text.
"$cetane" build stages.dsl --arch=sm_80 \
	--emit=dag,deps,schedule,poly,ast,llvm,ptx
ls stages.*

# 2. What the kernel takes, and where its tiles lie.
"$cetane" inspect stages.dsl --arch=sm_80 --resources

# 3. The program behind the passes reads back. Give the tile of A in shared memory
# rows that are 4 elements longer: other PTX, the same results.
sed 's/^\(array A_shared .*\) pad 4 /\1 pad 8 /' stages.poly > edited.poly
"$cetane" build edited.poly --from=poly --arch=sm_80 -o edited.ptx
cmp -s stages.ptx edited.ptx || echo "edited.ptx differs"
for name in stages edited; do
	# shellcheck disable=SC2086
	"$cetane" run $name.poly --from=poly $sizes -o D=$name.npy
done
cmp stages.npy edited.npy && echo "the results are the same"

# 4. One pass at a time: stop, look, go on.
"$cetane" build stages.dsl --arch=sm_80 --stop-after=poly_schedule -o scheduled.poly
"$cetane" build scheduled.poly --from=poly --arch=sm_80 -o rest.ptx
cmp stages.ptx rest.ptx && echo "the PTX is the same"
