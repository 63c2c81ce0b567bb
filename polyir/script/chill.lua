-- CUDA-CHiLL's commands, in the forms of the thesis and of its repository.
local core = ...
local canonical_dofile, canonical_skew, canonical_tile = dofile, skew, tile
local canonical_shift, canonical_rename = shift, rename
local canonical_permute, canonical_split = permute, split
local canonical_normalize = normalize
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

-- How tiles are counted: by name, or the number of the repository's scripts.
local function method_of(method)
	if method == 0 then return "strided" end
	if method == 1 then return "counted" end
	return method
end

-- An order without the loops at its end that stand innermost already, and stay.
local function without_rest(s, order, list)
	local names, place, cut = core.loops(s), {}, {}
	for i = 1, #names do place[names[i]] = i end
	for i = 1, #list do cut[list[i]] = true end
	while #order > 0 do
		local last = order[#order]
		if cut[last] or not place[last] then break end
		for i = 1, #order - 1 do
			if (place[order[i]] or 0) > place[last] then return order end
		end
		order[#order] = nil
	end
	return order
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
		order = order and without_rest(s, own, list), method = method_of(method) })
end

-- normalize_index([statement,] loop): one that goes through no tiles, and whose least value
-- is 0, stays as it is.
function normalize_index(...)
	local s, l = split_off(...)
	local name = loop_of(s, l)
	if not try(canonical_normalize, s, name) and core.bounds(s, name) ~= 0 then
		canonical_normalize(s, name)
	end
end

-- The level of a loop.
function find_cur_level(s, name)
	local names = core.loops(s)
	for i = 1, #names do
		if names[i] == name then return i end
	end
	error("statement " .. s .. " is in no loop '" .. tostring(name) .. "'", 0)
end
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
	for i = 1, #names do
		if names[i] == this then at = this break end
		if names[i] == at then break end
	end
	if not control then
		control = this .. "_o"
		while does_exist(s, control) do control = control .. "o" end
	end
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
		method = method_of(method) or "strided",
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

-- Statements with fewer loops get those of statement "deep": they are put into loops of
-- the same names where that is legal, and into the first iteration of the others.
local function embed(deep)
	local names, n = core.loops(deep), num_statements()
	for s = 0, n - 1 do
		local own = s ~= deep and try(core.loops, s) and core.loops(s) or {}
		for i = 1, #own do
			if own[i] ~= names[i] then break end
			try(core.fuse, s < deep and s or deep, s < deep and deep or s, own[i])
		end
		for i = #own + 1, #own > 0 and own[1] == names[1] and #names or 0 do
			if not try(core.sink, s, names[i]) then break end
		end
	end
end

-- permute(order) of levels moves the loops of all statements, each of which has them all
-- then; permute([statement,] order) those of one.
function permute(s, order)
	local levels = order == nil and type(s) == "table" and type(s[1]) == "number"
	if not levels then return canonical_permute(s, order) end
	local deep = 0
	for k = 0, num_statements() - 1 do
		if #core.loops(k) > #core.loops(deep) then deep = k end
	end
	embed(deep)
	canonical_permute(deep, s)
end

-- copy_to_shared([statement,] loop, array [, padding]): a copy of what the loop reads
-- stands in front of it. A loop of threads stands for what is around it.
local function copy_before(s, l, array, ...)
	local name, names, at = loop_of(s, l), core.loops(s), nil
	for i = 1, #names do
		if names[i] == name then
			at = not core.role(s, name) and names[i - 1] or name
		end
	end
	core.stage(s, array, at or name, ...)
end

function copy_to_shared(...)
	local s, l, array, pad = split_off(...)
	copy_before(s, l, array, pad or 0)
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

-- datacopy(statement, level, array [, extra reads, fastest dimension, stride, alignment]);
-- the array is a name, or a list of the statement's accesses, the written one 0, and the
-- fastest dimension then follows.
function datacopy(s, l, array, ...)
	local extra, fastest, _, align = ...
	local reads = 0
	if type(array) == "table" then
		local name, updates = core.target(s)
		for i = 1, #array do
			reads = reads | 1 << (updates and array[i] - 1 or array[i])
		end
		array, fastest, align = name, extra, 0
	end
	copy_before(s, l, array, align or 0, fastest or -1, reads)
end
-- The accesses of a statement to the array that it writes, by their place in it.
D1, D2, D3 = 1, 2, 3

-- Unroll the d innermost loops that are not mapped, of all statements, as long as no
-- statement is written out more than 64 times.
function unroll_to_depth(d)
	if math.type(d) ~= "integer" or d < 1 then
		error("unroll_to_depth needs a number of loops", 0)
	end
	local names, n = core.statements()
	for s = 0, n - 1 do
		local list, copies = names[s] and core.loops(s) or {}, 1
		for i = #list, #list - d + 1, -1 do
			local name = list[i]
			local times = name and not core.role(s, name) and
				core.extent(s, name)
			if times and times * copies <= 64 and
			    try(unroll, s, name) then
				copies = copies * times
			end
		end
	end
end
unroll_to_level = unroll_to_depth

-- coalesce(statement, name, {loops}, ..): flatten.
function coalesce(s, name, list) flatten(s, list, name) end

-- Loads of what the program never writes are read-only loads anyway, which is what
-- textures and constant memory are for.
local function read_only(what)
	return function(...)
		local _, _, array = split_off(...)
		local role, written = core.array(tostring(array))
		if role == nil then
			error("there is no array '" .. tostring(array) .. "'", 0)
		end
		if written then
			error("'" .. array .. "' is written, and not for " .. what, 0)
		end
	end
end
copy_to_texture, copy_to_constant = read_only("textures"), read_only("constant memory")
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

-- Where the heuristics of the thesis put loops and arrays (5.1): what carries nothing is
-- for blocks and threads (H1); x is the loop that most arrays have along their rows (H2);
-- what does not change within a thread is in its registers (H4); what threads along x share,
-- or do not read side by side, is in shared memory (H3), which needs padding in the second
-- case.
local function has(list, x)
	for i = 1, #list do
		if list[i] == x then return true end
	end
	return false
end

-- The accesses to each array as one: the loops of its dimensions.
local function arrays_of(list)
	local names, of = {}, {}
	for i = 1, #list do
		local a = of[list[i].array] or { all = {} }
		if not of[list[i].array] then names[#names + 1] = list[i].array end
		of[list[i].array] = a
		for d = 1, #list[i] do
			a[d] = a[d] or {}
			for k = 1, #list[i][d] do
				a[d][#a[d] + 1] = list[i][d][k]
				a.all[#a.all + 1] = list[i][d][k]
			end
		end
	end
	table.sort(names)
	return names, of
end

local function placement(a, free, x)
	local own = true
	for i = 1, #a.all do own = own and has(free, a.all[i]) end
	if own then return "register" end
	if not has(a.all, x) then return "shared" end
	return has(a[#a], x) and "global" or "shared, padded"
end

function advise(s)
	s = type(s) == "table" and s.stmt or s or 0
	local names, list = core.loops(s), core.accesses(s)
	local n = #names
	local order, of = arrays_of(list)
	local free, inner, x, most = {}, {}, nil, -1
	for i = 1, n do
		local t = legal(parallelize, s, names[i]) and free or inner
		t[#t + 1] = i
	end
	for i = 1, #free do
		local count = 0
		for k = 1, #order do
			local a = of[order[k]]
			if #a > 0 and has(a[#a], free[i]) then count = count + #a end
		end
		if count >= most then x, most = free[i], count end
	end
	if x == nil then
		print("statement " .. s .. ": every loop carries something")
		return
	end
	local function text(loops)
		local t = {}
		for i = 1, #loops do
			t[i] = names[loops[i]] .. (loops[i] == x and " (x)" or "")
		end
		return #t > 0 and table.concat(t, ", ") or "none"
	end
	print("statement " .. s .. ": blocks and threads " .. text(free) ..
		", in a thread " .. text(inner))
	for i = 1, #order do
		print("  " .. order[i] .. ": " .. placement(of[order[i]], free, x))
	end
end
