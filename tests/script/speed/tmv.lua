-- A column of a matrix times a vector: 32 parts of a sum, of which a thread adds up four
-- side by side, so that rows are read in runs of 16 bytes; and what puts them together.
local P, T, V = 32, 32, 4
reduce("j", P, "blocks")
distribute(0, "i")
fuse({1, 0}, "i")
fuse({1, 0}, "j_part")
permute(0, {"j_part", "i"})
tile(0, {"i"}, {T * V}, {ctrl = {"ib"}})
tile(0, {"i"}, {V}, {ctrl = {"it"}})
distribute(0, "i")
permute(0, {"j", "i"})
gpu{stmt = 0, block = {"ib", "j_part"}, thread = {"it"}}
unroll(0, "i")
unroll(1, "i")
