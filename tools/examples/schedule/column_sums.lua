-- y[j] = 0 gets a loop of its own, number 0; the sums are number 1.
distribute("j")

-- Blocks of 64 columns: neighbouring threads read neighbouring elements of a row.
tile(0, {"j"}, {64}, {ctrl = {"b0"}, point = {"t0"}})
tile(1, {"j"}, {64}, {ctrl = {"b1"}, point = {"t1"}})
gpu{stmt = 0, block = {"b0"}, thread = {"t0"}}

-- The sums are in turn: i as a loop of threads is refused, and nothing has happened.
local ok, why = try(gpu, {stmt = 1, block = {"b1"}, thread = {"i"}})
assert(not ok)
print("refused: " .. tostring(why))
gpu{stmt = 1, block = {"b1"}, thread = {"t1"}}
print_code()
