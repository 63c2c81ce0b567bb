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

permute = with_stmt(function(s, order)
	core.permute(s, loops(s, order))
end)

interchange = with_stmt(function(s, a, b)
	core.permute(s, { loop(s, b), loop(s, a) })
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
		if to then core.rename(s, names[i], to) end
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

unroll = with_stmt(function(s, l, n)
	core.unroll(s, loop(s, l), whole(n or 0))
end)

distribute = with_stmt(function(s, l)
	core.distribute(s, loop(s, l))
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
