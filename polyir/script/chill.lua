-- CUDA-CHiLL's commands, in the forms of the thesis and of its repository.
local core = ...
local canonical_dofile, canonical_skew, canonical_tile = dofile, skew, tile
local canonical_unroll, type, error = unroll, type, error
local library = { ["hlcuda.lua"] = true, ["cudaize.lua"] = true }

function dofile(name)
	if library[name] then return end
	return canonical_dofile(name)
end

-- The program is the compiler's operand.
function init() end
function source() end
function procedure() end
function format() end
function original() end
function known() end

local function split_off(s, ...)
	if s == nil or s == stmt or type(s) == "number" then
		return (s == nil or s == stmt) and 0 or s, ...
	end
	return 0, s, ...
end

-- tile_by_index([statement,] loops, sizes, names, order [, strided]): names of loops are
-- l1_control = "ii" for the first loop, or l1_control = {i = "ii"}.
function tile_by_index(...)
	local s, list, sizes, names, order, method = split_off(...)
	local to = { control = {}, tile = {} }
	for key, name in pairs(names or {}) do
		local at, kind = tostring(key):match("^l(%d+)_(%a+)$")
		if not to[kind] or (type(name) == "string" and not list[at + 0]) then
			error("tile_by_index has no names \"" .. tostring(key) ..
				"\"", 0)
		end
		if type(name) == "string" then
			to[kind][at + 0] = name
		else
			for i = 1, #list do
				to[kind][i] = to[kind][i] or name[list[i]]
			end
		end
	end
	-- The tiles get their names behind the command, whose order has these already.
	local back, own = {}, {}
	for i = 1, #list do
		if to.tile[i] then back[to.tile[i]] = list[i] end
	end
	for i = 1, order and #order or 0 do
		own[i] = back[order[i]] or order[i]
	end
	canonical_tile(s, list, sizes, { ctrl = to.control, point = to.tile,
		order = order and own, method = method })
end
normalize_index = normalize
strided, counted = "strided", "counted"

-- tile(statement, level, size, outer level [, name, control, method]) of CHiLL, beside
-- the canonical one, whose loops are a list.
function tile(s, l, size, outer, name, control, method)
	if type(s) ~= "number" or type(l) == "table" then
		return canonical_tile(s, l, size, outer)
	end
	local names = core.loops(s)
	local this = type(l) == "number" and names[l] or l
	if size == nil or size == 0 then return end
	local order, at = {}, type(outer) == "number" and names[outer] or outer
	at = at or this
	control = control or this .. "_o"
	local inside = false
	for i = 1, #names do
		if names[i] == at then
			order[#order + 1] = control
			inside = true
		end
		if inside then order[#order + 1] = names[i] end
		if names[i] == this then break end
	end
	canonical_tile(s, { this }, { size }, { ctrl = { control }, order = order,
		method = method == "counted" and "counted" or "strided",
		point = name and { name } or nil })
end

-- cudaize(name, sizes, {block=, thread=} [, parameters])
function cudaize(...)
	local a = { split_off(...) }
	local s, map = a[1], a[4]
	if type(a[2]) ~= "string" then map = a[3] end
	gpu{ stmt = s, block = map.block, thread = map.thread }
end

-- skew({statements}, level, {factors of the loops from outside}) of CHiLL.
function skew(s, l, by, ...)
	if type(s) ~= "table" or s.stmt ~= nil or type(by) ~= "table" or #by == 0 then
		return canonical_skew(s, l, by, ...)
	end
	for i = 1, #s do
		local names, factors = core.loops(s[i]), {}
		for k = 1, #by do
			if by[k] ~= 0 and k ~= l then factors[names[k]] = by[k] end
		end
		return canonical_skew(s[i], l, factors)
	end
end

function shift_to(s, l, n)
	return shift(s, l, n)
end

-- Unroll the d innermost loops that are not mapped, of all statements.
function unroll_to_depth(d)
	local names, n = core.statements()
	for s = 0, n - 1 do
		local list = names[s] and core.loops(s) or {}
		for i = #list, #list - d + 1, -1 do
			local name = list[i]
			if name and not core.role(s, name) and
			    core.extent(s, name) and core.extent(s, name) <= 64 then
				try(unroll, s, name)
			end
		end
	end
end
unroll_to_level = unroll_to_depth

function rename_index(...)
	local s, l, name = split_off(...)
	rename(s, l, name)
end
