-- A product of floats: what is over when all multiprocessors have had as many blocks as
-- fit is cut off, and divided along its sum, so that they all have a part of it.
order [[
band permutable coincident 1 1
    "{ S1[i, j] -> [(i), (j)] }"
    "{ S2[i, j, k] -> [(i), (j)] }"
  sequence
    filter "{ S1[i, j] }"
    filter "{ S2[i, j, k] }"
      band coincident 0 "{ S2[i, j, k] -> [(k)] }"
]]
divide()
