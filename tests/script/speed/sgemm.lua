-- The schedule that Tiramisu has for products of floats: tiles of 256 x 16 and 16 x 96
-- elements in two copies of shared memory, and 16 x 6 sums in the registers of a thread.
local R, Q = 16, 6
distribute(0, "j")
distribute(0, "i")
tile(1, {"i", "j", "k"}, {16 * R, 16 * Q, 16}, {ctrl = {"ib", "jb", "kb"}})
tile(1, {"i", "j"}, {R, Q}, {ctrl = {"it", "jt"}, order = {"it", "jt", "kb", "k", "i", "j"}})
gpu{stmt = 1, block = {"jb", "ib"}, thread = {"jt", "it"}}
stage(1, "a", "kb", {pad = -2})
stage(1, "b", "kb")
pipeline(1, "kb")
unroll(1, "j")
unroll(1, "i")
