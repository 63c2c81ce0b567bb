-- Tiramisu's commands: computation("S1") has them as methods, whose loops are names.
local core = ...
local error, type = error, type

local function leaf(c)
	return c.stmt
end

local function cut(c, l, size, outer, inner)
	tile(leaf(c), { l }, { size }, { ctrl = { outer }, point = inner and { inner } })
end

-- Tiles of two or three loops: sizes, and names of all new loops, or none.
local function tiled(c, ...)
	local a = { ... }
	local n = type(a[3]) == "string" and 3 or 2
	local list, sizes, ctrl, point = {}, {}, {}, {}
	for i = 1, n do
		list[i], sizes[i] = a[i], a[n + i]
		ctrl[i] = a[2 * n + i] or a[i] .. "_o"
		point[i] = a[3 * n + i]
	end
	tile(leaf(c), list, sizes, { ctrl = ctrl, point = point })
	for i = 1, n do point[i] = point[i] or a[i] end
	return ctrl, point
end

local function turned(list)
	local t = {}
	for i = #list, 1, -1 do t[#t + 1] = list[i] end
	return t
end

local method = {
	split = cut,
	tile = function(c, ...) tiled(c, ...) end,
	interchange = function(c, a, b) interchange(leaf(c), a, b) end,
	-- skew(i, j, f, ni, nj): j becomes f * i + j
	skew = function(c, a, b, f, na, nb)
		skew(leaf(c), b, { [a] = f })
		if na and na ~= a then rename(leaf(c), a, na) end
		if nb and nb ~= b then rename(leaf(c), b, nb) end
	end,
	shift = function(c, l, n) shift(leaf(c), l, n) end,
	loop_reversal = function(c, l, name)
		reverse(leaf(c), l)
		if name then rename(leaf(c), l, name) end
	end,
	unroll = function(c, l, n) unroll(leaf(c), l, n) end,
	-- after(other, l): in all loops of the other down to l
	after = function(c, other, l)
		local names = core.loops(leaf(other))
		for i = 1, #names do
			if core.loops(leaf(c))[i] ~= names[i] then
				error("the loops of the two have other names: '" ..
					names[i] .. "'", 0)
			end
			fuse({ leaf(other), leaf(c) }, names[i])
			if names[i] == l then return end
		end
	end,
	-- The first half are blocks, the second threads, both from z to x.
	tag_gpu_level = function(c, ...)
		local a, block, thread = { ... }, {}, {}
		for i = 1, #a // 2 do
			block[i], thread[i] = a[i], a[#a // 2 + i]
		end
		gpu{ stmt = leaf(c), block = turned(block), thread = turned(thread) }
	end,
	gpu_tile = function(c, ...)
		local block, thread = tiled(c, ...)
		gpu{ stmt = leaf(c), block = turned(block), thread = turned(thread) }
	end,
}

-- The computation "name", or of that number.
function computation(name)
	local c = stmt(name)
	for key, f in pairs(method) do c[key] = f end
	return c
end
