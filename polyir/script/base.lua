-- The canonical commands and queries of schedule scripts: all forms of a command
-- become the one that the compiler has.
local core = ...
local tostring, type, error, select = tostring, type, error, select
local floor, sort, concat = math.floor, table.sort, table.concat
local next = next
_G.next = nil

-- Keys in an order that is the same on every run.
function pairs(t)
	local keys, i = {}, 0
	for k in next, t do keys[#keys + 1] = k end
	sort(keys, function(a, b)
		if type(a) == type(b) and (type(a) == "number" or type(a) == "string")
		then return a < b end
		return type(a) < type(b)
	end)
	return function()
		i = i + 1
		if keys[i] ~= nil then return keys[i], t[keys[i]] end
	end
end

local function whole(n, what)
	if type(n) == "number" and n == floor(n) then return floor(n) end
	error((what or "a number") .. " is no whole number: " .. tostring(n), 0)
end

-- Statements: a number, what stmt() returns, or nothing, which is 0.
local function number_of(name)
	local names, n = core.statements()
	for i = 0, n - 1 do
		if names[i] and (names[i] == name or
		    names[i]:find("^" .. name .. "$")) then return i end
	end
	error("there is no statement '" .. tostring(name) .. "'", 0)
end

function stmt(name)
	if type(name) == "number" then return { stmt = whole(name) } end
	return { stmt = number_of(name) }
end

-- stmts(pattern): all whose names are as the pattern of Lua's says.
function stmts(pattern)
	local names, n = core.statements()
	local list = {}
	for i = 0, n - 1 do
		if names[i] and names[i]:match("^" .. pattern .. "$") then
			list[#list + 1] = { stmt = i }
		end
	end
	return list
end

local function is_stmt(s)
	return s == nil or s == stmt or type(s) == "number" or
		(type(s) == "table" and s.stmt ~= nil and #s == 0)
end

local function leaf(s)
	if s == nil or s == stmt then return 0 end
	if type(s) == "table" then s = s.stmt end
	if type(s) == "string" then return number_of(s) end
	return whole(s, "a statement")
end

-- Loops: a name, or a level, from 1.
local function loop(s, l)
	if type(l) == "string" then return l end
	local names = core.loops(s)
	local name = names[whole(l, "a loop")]
	if not name then
		error("statement " .. s .. " is in " .. #names .. " loops, not " ..
			tostring(l), 0)
	end
	return name
end

local function loops(s, list)
	if type(list) ~= "table" then list = { list } end
	local names = {}
	for i = 1, #list do names[i] = loop(s, list[i]) end
	return names
end

-- Give the arguments of a command a statement in front if they have none.
local function with_stmt(f)
	return function(s, ...)
		if is_stmt(s) then return f(leaf(s), ...) end
		return f(0, s, ...)
	end
end

-- ------------------------------------------------------------------ commands

-- Loops at both ends of the order that keep their places need not stand right within one
-- another.
permute = with_stmt(function(s, order)
	local to, names, from, asked = loops(s, order), core.loops(s), {}, {}
	for i = 1, #to do asked[to[i]] = true end
	for i = 1, #names do
		if asked[names[i]] then from[#from + 1] = names[i] end
	end
	local first, last = 1, #to
	while #from == #to and first < last and from[first] == to[first] do
		first = first + 1
	end
	while #from == #to and last > first and from[last] == to[last] do
		last = last - 1
	end
	local moved = {}
	for i = first, last do moved[#moved + 1] = to[i] end
	core.permute(s, moved)
end)

interchange = with_stmt(function(s, a, b)
	a, b = loop(s, a), loop(s, b)
	local names, first = core.loops(s), nil
	for i = 1, #names do
		first = first or ((names[i] == a or names[i] == b) and names[i])
	end
	core.permute(s, first == b and { a, b } or { b, a })
end)

-- Named lists in the order of "names": from a list, or a table by name.
local function by_name(names, given, suffix)
	local list = {}
	for i = 1, #names do
		list[i] = given and (given[i] or given[names[i]] or
			(suffix and given[names[i] .. suffix])) or ""
	end
	return list
end

tile = with_stmt(function(s, list, sizes, o)
	o = o or {}
	local names = loops(s, list)
	if type(sizes) ~= "table" then sizes = { sizes } end
	local n = {}
	for i = 1, #names do n[i] = whole(sizes[i] or 0, "the size of a tile") end
	if o.method ~= nil and o.method ~= "strided" and o.method ~= "counted" then
		error("the method of tile is \"counted\" or \"strided\"", 0)
	end
	core.tile(s, names, n, by_name(names, o.ctrl), o.order,
		o.method == "strided")
	for i = 1, #names do
		local to = o.point and (o.point[i] or o.point[names[i]])
		if to and to ~= names[i] then core.rename(s, names[i], to) end
	end
end)

skew = with_stmt(function(s, l, by)
	local names, factors = {}, {}
	for name, f in pairs(by) do
		names[#names + 1] = loop(s, name)
		factors[#factors + 1] = whole(f, "a factor")
	end
	core.skew(s, loop(s, l), names, factors)
end)

-- affine([statement,] map): the loops count what the map of isl's says of the instances;
-- affine([statement,] matrix [, loops]): the loops, or as many as it has rows from
-- outside, count sums of what they counted; a column more is a constant.
affine = with_stmt(function(s, m, list)
	if type(m) == "string" then return core.map(s, m) end
	local names, rows, plus = loops(s, list or {}), {}, {}
	if not list then
		local all = core.loops(s)
		for i = 1, #m do names[i] = all[i] end
	end
	local function det(t)
		if #t == 1 then return t[1][1] end
		local sum, sign = 0, 1
		for k = 1, #t do
			local sub = {}
			for i = 2, #t do
				local row = {}
				for c = 1, #t do
					if c ~= k then row[#row + 1] = t[i][c] end
				end
				sub[#sub + 1] = row
			end
			sum, sign = sum + sign * t[1][k] * det(sub), -sign
		end
		return sum
	end
	if #m ~= #names or #m == 0 or #m > 6 then
		error("a matrix has a row for each of at most 6 loops", 0)
	end
	local square = {}
	for i = 1, #m do
		square[i] = {}
		for k = 1, #m do
			square[i][k] = whole(m[i][k] or 0, "a factor")
			rows[#rows + 1] = square[i][k]
		end
		plus[i] = whole(m[i][#m + 1] or 0, "a constant")
	end
	if det(square) == 0 then
		error("the matrix cannot be inverted: several iterations would " ..
			"become one", 0)
	end
	core.affine(s, names, rows, plus)
end)

shift = with_stmt(function(s, l, n)
	core.shift(s, loop(s, l), whole(n))
end)

reverse = with_stmt(function(s, l)
	core.scale(s, loop(s, l), -1)
end)

scale = with_stmt(function(s, l, n)
	core.scale(s, loop(s, l), whole(n))
end)

split = with_stmt(function(s, l, condition)
	core.split(s, loop(s, l), condition)
end)

peel = with_stmt(function(s, l, n)
	core.peel(s, loop(s, l), whole(n or 1))
end)

-- Do it with each loop of a list, from the last one to the first, or with none.
local function with_each(f, s, list)
	local names = loops(s, list)
	local ok, why = core.try(function()
		for i = #names, 1, -1 do f(names[i]) end
	end, true)
	if not ok then error(why, 0) end
end

unroll = with_stmt(function(s, l, n)
	n = whole(n or 0)
	if type(l) ~= "table" then return core.unroll(s, loop(s, l), n) end
	with_each(function(name) core.unroll(s, name, n) end, s, l)
end)

distribute = with_stmt(function(s, l)
	if type(l) ~= "table" then return core.distribute(s, loop(s, l)) end
	with_each(function(name) core.distribute(s, name) end, s, l)
end)

rename = with_stmt(function(s, l, name)
	core.rename(s, loop(s, l), name)
end)

normalize = with_stmt(function(s, l)
	core.normalize(s, loop(s, l))
end)

function fuse(list, l)
	local first = leaf(list[1])
	local name = loop(first, l)
	for i = 2, #list do core.fuse(first, leaf(list[i]), name) end
end

function gpu(o)
	local s = leaf(o.stmt)
	core.gpu(s, loops(s, o.block or {}), loops(s, o.thread or {}))
end

-- The passes of the automatic schedule that make statements, in their order.
function classes() core.pass("classes") end
function scans() core.pass("scans") end
function folds() core.pass("folds") end
function rows() core.pass("rows") end
function divide() core.pass("divide") end
function ranges() core.pass("ranges") end
order, chain, serial = core.order, core.chain, core.serial

-- Storage: elements along a dimension, from 1, share "n" cells; dimensions in another
-- order.
function fold(array, dim, n)
	core.fold(array, whole(dim, "a dimension") - 1, whole(n, "a number of cells"))
end

function store(array, dims)
	local order = {}
	for i = 1, #dims do order[i] = whole(dims[i], "a dimension") - 1 end
	core.store(array, order)
end

-- What the model of the target would choose: the block of a kernel with a product, and
-- into how many parts the sum of one into an array is divided.
function block(name, words)
	core.configure("kernel " .. name .. " " .. words)
end

-- tensorize(kernel, unit, {tile = {m, n, k}, warps = {m, n} [, stages =]}): the kernel's
-- product in tiles on a matrix unit, each shared by so many warps along m and n, whose
-- lanes hold 8 by 4 places of a fragment; copies are of 16 bytes.
local elements = { bf16 = 8, f16 = 8, f64 = 2, s8 = 16, u8 = 16 }
function tensorize(name, unit, o)
	local run = elements[tostring(unit):match("%.(%w+)$")]
	local tile, warps = o and o.tile or {}, o and o.warps or {}
	if not run then
		error("'" .. tostring(unit) .. "' is no matrix unit: mma.m16n8k16.bf16 " ..
			"and the like are", 0)
	end
	if #tile ~= 3 or #warps ~= 2 then
		error("tensorize needs a tile of 3 numbers and 2 numbers of warps", 0)
	end
	local list = { 8 * whole(warps[1], "a number of warps"),
		4 * whole(warps[2], "a number of warps") }
	for i = 1, 3 do list[i + 2] = whole(tile[i], "the size of a tile") end
	block(name, ("thread %d %d tile %d %d %d vec 1 %d steps %d stages %d unit %s"):
		format(list[1], list[2], list[3], list[4], list[5], run, run,
			whole(o.stages or 1, "a number of stages"), unit))
end

function parts(array, n)
	core.configure("parts " .. array .. " " .. whole(n))
end

-- Copy what one iteration of a loop reads of an array at its beginning: in a kernel, what
-- all threads of a block read, to shared memory, there or, without a loop, in all of it;
-- elsewhere to global memory. "last" is the dimension, from 1, that is the last one of
-- the copy; "reads" are those of the statement, from 0, that go to the copy.
stage = with_stmt(function(s, array, at, o)
	o = o or {}
	local here = core.in_kernel(s) and "shared" or "global"
	if o.mem == nil and here == "global" then
		error("'" .. tostring(array) .. "' is copied in a kernel: gpu comes " ..
			"first, or it is mem = \"global\"", 0)
	end
	if o.mem ~= nil and o.mem ~= here then
		error("stage copies to \"" .. here .. "\" memory here", 0)
	end
	local reads = 0
	for i = 1, o.reads and #o.reads or 0 do
		local n = whole(o.reads[i], "a read")
		if n < 0 or n > 31 then error("there is no read " .. n, 0) end
		reads = reads | 1 << n
	end
	core.stage(s, array, at and loop(s, at), whole(o.pad or 0, "a padding"),
		o.last and whole(o.last, "a dimension") - 1 or -1, reads)
end)

-- compute_at(statement, reader, loop [, {mem =, pad =}]): what one iteration of the loop
-- around the reader takes of what the statement computes is computed at its beginning.
function compute_at(s, reader, l, o)
	s, reader, o = leaf(s), leaf(reader), o or {}
	local here = core.in_kernel(reader) and "shared" or "global"
	if (o.mem or "shared") ~= here then
		error("compute_at puts values in \"" .. here .. "\" memory here", 0)
	end
	core.compute_at(s, reader, loop(reader, l), whole(o.pad or 0, "a padding"))
end

-- pipeline([statement,] loop [, stages]): the copies at the loop are made an iteration
-- early, in one of two in turn.
pipeline = with_stmt(function(s, l, stages)
	if stages ~= nil and stages ~= 2 then
		error("a pipeline in a script has 2 stages", 0)
	end
	core.pipeline(s, loop(s, l))
end)

-- reduce([statement,] loop, n [, how]): the sum that the loop goes over in n parts, counted
-- by a new loop, "threads": each n-th iteration is one's, or "blocks": neighbours are; or
-- in n "lanes" of a block.
local ways = { threads = true, blocks = true, lanes = true }
reduce = with_stmt(function(s, l, n, how)
	how = how or "threads"
	if not ways[how] then
		error("parts of a sum are \"threads\", \"blocks\" or \"lanes\"", 0)
	end
	core.reduce(s, loop(s, l), whole(n, "a number of parts"), how)
end)

-- sink([statement,] loop): what the statement is in becomes a part of the loop beside it.
sink = with_stmt(function(s, l)
	core.sink(s, l)
end)

-- flatten([statement,] {outer, inner}, name): one loop over all iterations of both.
flatten = with_stmt(function(s, list, name)
	local names = loops(s, list)
	if #names ~= 2 then error("flatten puts two loops together", 0) end
	core.flatten(s, names[1], names[2], name or names[2])
end)

-- The iterations of the loop may run at once: it carries nothing. The mapping then takes
-- it so.
parallelize = with_stmt(function(s, l)
	core.parallel(s, loop(s, l))
end)

-- vectorize([statement,] loop, n): n iterations, which carry nothing, side by side: what
-- they read and write in runs is one access.
vectorize = with_stmt(function(s, l, n)
	l, n = loop(s, l), whole(n, "the length of a vector")
	if n ~= 2 and n ~= 4 and n ~= 8 then
		error("a vector has 2, 4 or 8 elements, and not " .. n, 0)
	end
	core.parallel(s, l)
	local ok, why = core.try(function()
		core.tile(s, { l }, { n }, { l .. "_v" }, nil, false)
		core.unroll(s, l, 0)
	end, true)
	if not ok then error(why, 0) end
end)

-- known([statement,] condition): sizes meet it; an object asks them at run time. A list
-- of conditions is all of them.
known = with_stmt(function(s, conditions)
	if type(conditions) ~= "table" then conditions = { conditions } end
	for i = 1, #conditions do core.known(s, conditions[i]) end
end)

-- add_predicate([statement,] condition): it runs only where that holds, as the program
-- says.
add_predicate = with_stmt(function(s, condition)
	core.predicate(s, condition)
end)

-- ----------------------------------------------------------------- decisions

-- What --decisions=FILE says, by name: lines of a name and a value, and of what begins
-- with "#". All of these are asked for in the end. Without a file they are tried, and
-- what does not fit does not count.
local decided, asked, is_tried = {}, {}, false
local function read_decisions()
	local text, file = core.decisions()
	local n = 0
	is_tried = not file
	for line in ((text or "") .. "\n"):gmatch("(.-)\n") do
		n = n + 1
		local name, value = line:match("^%s*([%a_][%w_]*)%s+(%S+)%s*$")
		local at = tostring(file) .. ":" .. n .. ": "
		if name and decided[name] then
			error(at .. "'" .. name .. "' is decided already", 0)
		elseif name then
			decided[name] = { text = value, at = at }
		elseif not line:match("^%s*#") and not line:match("^%s*$") then
			error(at .. "a decision is a name and a value", 0)
		end
	end
end
local is_read = false

-- tune(name, values): the one that is decided, or the first. Names and values are such
-- as lines of a file can have.
function tune(name, values)
	if not is_read then
		is_read = true
		read_decisions()
	end
	if type(name) ~= "string" or not name:match("^[%a_][%w_]*$") then
		error("what tune decides has a name of letters, digits and _", 0)
	end
	if type(values) ~= "table" or values[1] == nil then
		error("tune has no values for '" .. name .. "'", 0)
	end
	local d, at, texts = decided[name], nil, {}
	for i = 1, #values do
		texts[i] = tostring(values[i])
		if not texts[i]:match("^[^%s]+$") then
			error("a value of '" .. name .. "' is not one word", 0)
		end
		if d and not at and texts[i] == d.text then at = i end
	end
	if d and not at and not is_tried then
		error(d.at .. "'" .. name .. "' is decided to be " .. d.text ..
			", and the script has " .. concat(texts, ", "), 0)
	end
	at = at or 1
	if asked[name] == nil then
		core.asked(name .. " " .. at .. " " .. concat(texts, " "))
	end
	asked[name] = values[at]
	return values[at]
end

-- What the script has asked for so far, as lines of such a file.
function decisions()
	local lines = {}
	for name, value in pairs(asked) do
		lines[#lines + 1] = name .. " " .. tostring(value)
	end
	return concat(lines, "\n")
end

core.at_end(function()
	if not is_read then read_decisions() end
	for name, d in pairs(decided) do
		if asked[name] == nil and not is_tried then
			error(d.at .. "the script does not ask for '" .. name .. "'", 0)
		end
	end
end)

-- ------------------------------------------------------------------- queries

function num_statements()
	local _, n = core.statements()
	return n
end

cur_indices = with_stmt(core.loops)

local function with_role(role)
	return with_stmt(function(s)
		local names, found = core.loops(s), {}
		for i = 1, #names do
			local r, axis = core.role(s, names[i])
			if r == role then found[axis + 1] = names[i] end
		end
		return found
	end)
end
block_indices = with_role("block")
thread_indices = with_role("thread")

local function dims(role)
	return with_stmt(function(s)
		local names, n = core.loops(s), { 1, 1, 1 }
		for i = 1, #names do
			local r, axis = core.role(s, names[i])
			if r == role then n[axis + 1] = core.extent(s, names[i]) end
		end
		return n[1], n[2], n[3]
	end)
end
block_dims = dims("block")
thread_dims = dims("thread")

extent = with_stmt(function(s, l)
	return core.extent(s, loop(s, l))
end)

does_exist = with_stmt(function(s, name)
	local names = core.loops(s)
	for i = 1, #names do
		if names[i] == name then return true end
	end
	return false
end)

-- The innermost loop around both statements, or nil.
function common_loop(a, b) return core.common(leaf(a), leaf(b)) end

function print_code()
	print(core.text())
end

function print_space()
	local names, n = core.statements()
	for i = 0, n - 1 do
		if names[i] then
			print(i .. ": " .. names[i] .. " in " ..
				concat(core.loops(i), ", "))
		end
	end
end

-- How many elements of an array one iteration of a loop, and of those around it, accesses:
-- along each dimension, false where that is no constant, and their bytes, or nil.
footprint = with_stmt(function(s, l, array)
	local n, bytes = core.footprint(s, loop(s, l), array)
	for i = 1, #n do
		bytes = bytes and n[i] and bytes * n[i]
	end
	return n, bytes or nil
end)

-- The first and the last value of a loop, nil if they are no constants.
bounds = with_stmt(function(s, l)
	return core.bounds(s, loop(s, l))
end)

-- Commands that are legal on a loop now, as texts, and what they need of arguments.
moves = with_stmt(function(s, l)
	l = loop(s, l)
	local names, list = core.loops(s), {}
	local function add(text, f, ...)
		if legal(f, ...) then list[#list + 1] = text end
	end
	local here = s .. ', "' .. l .. '"'
	for i = 1, #names do
		if names[i] ~= l then
			add("interchange(" .. here .. ', "' .. names[i] .. '")',
				interchange, s, l, names[i])
		end
	end
	add("reverse(" .. here .. ")", reverse, s, l)
	local n = core.extent(s, l)
	add("tile(" .. s .. ', {"' .. l .. '"}, {2.' .. "." .. (n or "") .. "})",
		core.tile, s, { l }, { 2 }, { "moves_o" }, nil, false)
	if n then add("unroll(" .. here .. ")", unroll, s, l) end
	add("unroll(" .. here .. ", 2..128)", unroll, s, l, 2)
	add("distribute(" .. here .. ")", distribute, s, l)
	for i = 1, #names do
		for f = -2, 2 do
			if f ~= 0 and names[i] ~= l then
				add("skew(" .. here .. ", {" .. names[i] .. " = " .. f ..
					"})", core.skew, s, l, { names[i] }, { f })
			end
		end
	end
	for f = -2, 2 do
		if f ~= 0 then add("shift(" .. here .. ", " .. f .. ")", shift, s, l, f) end
	end
	add("gpu{stmt = " .. s .. ', block = {"' .. l .. '"}}', gpu,
		{ stmt = s, block = { l } })
	add("gpu{stmt = " .. s .. ', thread = {"' .. l .. '"}}', gpu,
		{ stmt = s, thread = { l } })
	return list
end)

-- Call f(..); what it has done is undone if it fails. True, or false and why.
function try(f, ...)
	local a, n = { ... }, select("#", ...)
	return core.try(function() f(table.unpack(a, 1, n)) end, true)
end

-- Would f(..) be legal here? Nothing changes.
function legal(f, ...)
	local a, n = { ... }, select("#", ...)
	return core.try(function() f(table.unpack(a, 1, n)) end, false)
end

local own = {}
function require(name)
	name = tostring(name)
	if own[name] == nil then
		own[name] = true
		local value = dofile(name .. ".lua")
		if value ~= nil then own[name] = value end
	end
	return own[name]
end
