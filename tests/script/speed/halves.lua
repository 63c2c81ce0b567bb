-- A product of bfloat16 on the matrix units of warpgroups.
block("halves_C", "thread 64 4 tile 128 256 64 vec 1 8 steps 8 stages 4 unit wgmma.m64k16.bf16")
