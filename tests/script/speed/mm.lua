-- A product of floats: 128 x 128 elements a block, 16 x 8 of them in the registers of a
-- thread, and three copies of 32 steps in turn in shared memory.
order [[
band permutable coincident 1 1
    "{ S1[i, j] -> [(i), (j)] }"
    "{ S2[i, j, k] -> [(i), (j)] }"
  sequence
    filter "{ S1[i, j] }"
    filter "{ S2[i, j, k] }"
      band coincident 0 "{ S2[i, j, k] -> [(k)] }"
]]
block("mm_c", "thread 8 16 tile 128 128 32 vec 4 4 stages 3")
