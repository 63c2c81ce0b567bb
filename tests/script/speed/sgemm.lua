-- The schedule that Tiramisu has for products of floats: tiles of 256 x 16 and 16 x 96
-- elements in two copies of shared memory, and 16 x 6 sums in the registers of a thread;
-- what such tiles do not fill is in kernels of its own, of 4 x 4 sums.
local R, Q, n = 16, 6, extent(0, "i") or 0
local K = n % 16 ~= 0 and n % 8 == 0 and 8 or 16
distribute(0, "j")
distribute(0, "i")
if n > 16 * R and n % (16 * R) > 0 then split(1, "i", "i < " .. n - n % (16 * R)) end
if n > 16 * Q and n % (16 * Q) > 0 then
	split(1, "j", "j < " .. n - n % (16 * Q))
	distribute(1, "i")
end
for s = 1, num_statements() - 1 do
	local a, b = s > 1 and 4 or R, s > 1 and 4 or Q
	local tiles = s > 1 and {32, 32, 8} or {16 * R, 16 * Q, K}
	tile(s, {"i", "j", "k"}, tiles, {ctrl = {"ib", "jb", "kb"}})
	tile(s, {"i", "j"}, {a, b}, {ctrl = {"it", "jt"}, order = {"it", "jt", "kb", "k", "i", "j"}})
	gpu{stmt = s, block = {"jb", "ib"}, thread = {"jt", "it"}}
	stage(s, "a", "kb", {pad = -2})
	stage(s, "b", "kb")
	pipeline(s, "kb")
	unroll(s, "j")
	unroll(s, "i")
end
