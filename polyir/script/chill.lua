-- CUDA-CHiLL's commands, in the forms of the thesis and of its repository.
local core = ...
local canonical_dofile, canonical_skew, canonical_tile = dofile, skew, tile
local canonical_shift, canonical_rename = shift, rename
local type, error, tostring = type, error, tostring
local library = { ["hlcuda.lua"] = true, ["cudaize.lua"] = true }
-- The thesis names it without quotes, as a field of a table.
hlcuda = { lua = "hlcuda.lua" }

function dofile(name)
	if library[name] then return end
	return canonical_dofile(name)
end

-- The program is the compiler's operand, and what is known of its sizes is there.
function init() end
function source() end
function procedure() end
function format() end
function loop() end
function original() end
function known() end
function pragma() end

function remove_dep()
	error("a dependence is not taken away: what it says is asked of every " ..
		"command", 0)
end

local function is_stmt(s)
	return s == nil or s == stmt or type(s) == "number"
end

local function split_off(s, ...)
	if is_stmt(s) then return (s == nil or s == stmt) and 0 or s, ... end
	return 0, s, ...
end

-- A loop by its name, its level, or the coordinate that it is mapped to.
local axis = { bx = "block 0", by = "block 1", bz = "block 2", tx = "thread 0",
	ty = "thread 1", tz = "thread 2" }
local function loop_of(s, l)
	local names = core.loops(s)
	if type(l) == "number" then
		return names[l] or error("statement " .. s .. " is in " .. #names ..
			" loops, not " .. l, 0)
	end
	for i = 1, #names do
		if names[i] == l then return l end
	end
	for i = 1, #names do
		local role, n = core.role(s, names[i])
		if role and role .. " " .. n == axis[l] then return names[i] end
	end
	return l
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
-- the canonical one, whose loops are a list. A size of 1 moves the loop.
function tile(s, l, size, outer, name, control, method)
	if type(s) ~= "number" or type(l) == "table" then
		return canonical_tile(s, l, size, outer)
	end
	local names = core.loops(s)
	local this = loop_of(s, l)
	if size == nil or size == 0 then return end
	if type(outer) == "table" then return canonical_tile(s, { this }, { size }, outer) end
	local order, at = {}, outer and loop_of(s, outer) or this
	control = control or this .. "_o"
	if size == 1 then
		for i = 1, #names do
			if names[i] == at then order[1] = this end
			if order[1] and names[i] ~= this then
				order[#order + 1] = names[i]
			end
			if names[i] == this then break end
		end
		if #order > 1 then core.permute(s, order) end
		return
	end
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

-- skew({statements}, level, {factors of the loops from outside}): statements that share
-- the loop are skewed together.
function skew(s, l, by, ...)
	if type(s) ~= "table" or s.stmt ~= nil or type(by) ~= "table" or #by == 0 then
		return canonical_skew(s, l, by, ...)
	end
	local names, factors = core.loops(s[1]), {}
	for k = 1, #by do
		if by[k] ~= 0 and k ~= l then factors[names[k]] = by[k] end
	end
	return canonical_skew(s[1], l, factors)
end
-- Statements in one loop are scaled and reversed together, and shifted one by one.
local function first_of(f)
	return function(s, ...)
		if type(s) == "table" and s.stmt == nil then s = s[1] end
		return f(s, ...)
	end
end
scale, reverse = first_of(scale), first_of(reverse)
function shift(s, ...)
	if type(s) ~= "table" or s.stmt ~= nil then return canonical_shift(s, ...) end
	for i = 1, #s do canonical_shift(s[i], ...) end
end

-- The first iteration of the loop has that value.
function shift_to(s, l, n)
	local name = loop_of(s, l)
	local first = core.bounds(s, name)
	if not first then
		error("loop '" .. name .. "' does not begin at a number", 0)
	end
	core.shift(s, name, n - first)
end

distribute = first_of(distribute)

-- nonsingular({statements}, matrix): loops become sums of what they were; a column more
-- than there are rows is a constant.
function nonsingular(s, m)
	if m == nil then s, m = 0, s end
	if type(s) == "table" then s = s[1] or s.stmt end
	return affine(s, m)
end

-- copy_to_shared([statement,] loop, array [, padding]): a loop of threads stands for what
-- is around it.
function copy_to_shared(...)
	local s, l, array, pad = split_off(...)
	core.stage(s, array, loop_of(s, l), pad or 0)
end

-- copy_to_registers([statement,] loop, array): what a thread accesses in an iteration of
-- the loops outside of the named one has to be a constant number of elements, which no
-- other thread writes, as every mapping is asked. That they stay in registers is the
-- compiler's work then.
function copy_to_registers(...)
	local s, l, array = split_off(...)
	local name, names, n = loop_of(s, l), core.loops(s)
	for i = 1, #names do
		if names[i] == name and i > 1 then
			n = core.footprint(s, names[i - 1], array)
		end
	end
	for i = 1, n and #n or 0 do
		if not n[i] then
			error("the elements of '" .. array .. "' that a thread accesses " ..
				"in loop '" .. name .. "' are no constant number", 0)
		end
	end
end
datacopy_privatized = function(s, l, array) copy_to_registers(s, l, array) end

-- datacopy(statement, level, array): a copy to shared memory at the loop.
function datacopy(s, l, array, ...)
	core.stage(s, array, loop_of(s, l), 0)
end

-- Unroll the d innermost loops that are not mapped, of all statements, as long as no
-- statement is written out more than 64 times.
function unroll_to_depth(d)
	local names, n = core.statements()
	for s = 0, n - 1 do
		local list, copies = names[s] and core.loops(s) or {}, 1
		for i = #list, #list - d + 1, -1 do
			local name = list[i]
			local times = name and not core.role(s, name) and
				core.extent(s, name)
			if times and times * copies <= 64 and try(unroll, s, name) then
				copies = copies * times
			end
		end
	end
end
unroll_to_level = unroll_to_depth
unroll_extra = unroll

-- A name of a coordinate maps the loop.
function rename_index(...)
	local s, l, name = split_off(...)
	l = loop_of(s, l)
	if not axis[name] then return canonical_rename(s, l, name) end
	local kind = axis[name]:match("%a+")
	gpu{ stmt = s, [kind] = { l } }
end

function hard_loop_bounds(...)
	local s, l = split_off(...)
	return core.bounds(s, loop_of(s, l))
end

-- Barriers are where they are needed; one more would change nothing.
function add_sync(...)
	local s, l = split_off(...)
	local name = loop_of(s, l)
	if not does_exist(s, name) then
		error("statement " .. s .. " is in no loop '" .. name .. "'", 0)
	end
end
