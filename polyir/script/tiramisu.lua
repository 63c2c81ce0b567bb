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

-- The loops of both down to "l" become one, where they are called the same.
local function after(c, other, l)
	if l == nil or l == "root" then return end
	local names = core.loops(leaf(other))
	for i = 1, #names do
		if core.loops(leaf(c))[i] ~= names[i] then
			error("the loops of the two have other names: '" ..
				names[i] .. "'", 0)
		end
		fuse({ leaf(other), leaf(c) }, names[i])
		if names[i] == l then return end
	end
end

local function one_machine()
	error("a program runs on one machine: it has no loops over several, and sends nothing", 0)
end
local function is_parallel(c, l)
	return (legal(parallelize, leaf(c), l))
end

-- The first of the numbers for which f does not fail; what it did then stays.
local function first_legal(numbers, f)
	local why
	for i = 1, #numbers do
		local ok, error_of_it = try(f, numbers[i])
		if ok then return numbers[i] end
		why = why or error_of_it
	end
	error(why, 0)
end

local method = {
	split = cut,
	tile = function(c, ...) tiled(c, ...) end,
	interchange = function(c, a, b) interchange(leaf(c), a, b) end,
	-- skew(i, j, f, ni, nj): j becomes f * i + j; skew(i, j, a, b, ni, nj): i becomes
	-- a * i + b * j, and j what makes the matrix unimodular.
	skew = function(c, i, j, f, ni, nj, last)
		if type(ni) == "number" then
			local a, b, other = f, ni, nil
			for g = -8, 8 do
				for s = -8, 8 do
					if other == nil and a * s - g * b == 1 then
						other = { g, s }
					end
				end
			end
			if not other then
				error("no second loop makes this skew invertible", 0)
			end
			affine(leaf(c), { { a, b }, other }, { i, j })
			ni, nj = nj, last
		else
			skew(leaf(c), j, { [i] = f })
		end
		if ni and ni ~= i then rename(leaf(c), i, ni) end
		if nj and nj ~= j then rename(leaf(c), j, nj) end
	end,
	shift = function(c, l, n) shift(leaf(c), l, n) end,
	loop_reversal = function(c, l, name)
		reverse(leaf(c), l)
		if name then rename(leaf(c), l, name) end
	end,
	unroll = function(c, l, n) unroll(leaf(c), l, n) end,
	after = after,
	before = function(c, other, l)
		after(other, c, l)
		return other
	end,
	-- a:then_(b, l), "then" being a word of Lua: b after a
	then_ = function(c, other, l)
		after(other, c, l)
		return other
	end,
	between = function(c, first, l, last, m)
		after(c, first, l)
		after(last, c, m)
	end,
	fuse_after = function(c, other, l) after(c, other, l) end,
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
	parallelize = function(c, l) parallelize(leaf(c), l) end,
	-- Loops over machines.
	tag_distribute_level = function() one_machine() end,
	drop_rank_iter = function() one_machine() end,
	vectorize = function(c, l, n) vectorize(leaf(c), l, n) end,
	add_predicate = function(c, condition) add_predicate(leaf(c), condition) end,
	-- after(other, l), with as few iterations between the two as that needs; how many.
	after_with_shift = function(c, other, l)
		return first_legal({ 0, 1, 2, 3, 4, 5, 6, 7, 8 }, function(n)
			if n > 0 then shift(leaf(c), l, n) end
			after(c, other, l)
		end)
	end,
	-- The wave front of loops i and j: by which factor j is skewed, so that i, within
	-- it then, is parallel.
	skew_to_parallel = function(c, i, j)
		return first_legal({ 1, -1, 2, -2, 3, -3, 4, -4 }, function(f)
			skew(leaf(c), j, { [i] = f })
			interchange(leaf(c), i, j)
			parallelize(leaf(c), i)
		end)
	end,
	-- cache_shared(array, l): what a block reads of the array in an iteration of the loop,
	-- found from the reads; rows get an element more with "pad".
	cache_shared = function(c, array, l, pad)
		stage(leaf(c), array, l, { pad = pad and -2 or 0 })
	end,
	-- compute_at(consumer, l): what it takes in an iteration is computed there, in shared
	-- memory in a kernel.
	compute_at = function(c, consumer, l)
		local s = leaf(consumer)
		compute_at(leaf(c), s, l, { mem = core.in_kernel(s) and "shared" or
			"global" })
	end,
	store_in = function(c, array, dims) store(array, dims) end,
	storage_fold = function(c, array, dim, n) fold(array, dim, n) end,
	apply_transformation = function(c, m) affine(leaf(c), m) end,
	apply_transformation_on_schedule = function(c, m) affine(leaf(c), m) end,
	get_loop_levels = function(c) return core.loops(leaf(c)) end,
	loop_parallelization_is_legal = is_parallel,
	loop_unrolling_is_legal = function(c, l)
		return (legal(unroll, leaf(c), l, 2))
	end,
	loop_interchange_is_legal = function(c, a, b)
		return (legal(interchange, leaf(c), a, b))
	end,
}

isl_transform = affine

-- The computation "name", or of that number.
function computation(name)
	local c = stmt(name)
	for key, f in pairs(method) do c[key] = f end
	return c
end

-- block{a, b, ..}: its methods are those of all members, one after another.
function block_of(list)
	local b = {}
	for key in pairs(method) do
		b[key] = function(_, ...)
			for i = 1, #list do list[i][key](list[i], ...) end
		end
	end
	return b
end

-- What Tiramisu's solvers find.
function correcting_loop_fusion_with_shifting(others, c, l)
	return c:after_with_shift(others[#others] or others, l)
end
function skewing_local_solver(c, i, j)
	return c:skew_to_parallel(i, j)
end

-- An array as a buffer. Where it lies is asked, and not said: stage and compute_at put
-- elements into shared memory, what one thread has is in registers if the compiler finds
-- room, and what no kernel writes is read as constants are.
local function buffer_of(name)
	local role, written, near = core.array(tostring(name))
	if role == nil then error("there is no array '" .. tostring(name) .. "'", 0) end
	return role, written, near
end
local tag = {
	tag_gpu_global = function() end,
	tag_gpu_shared = function(b)
		local _, _, near = buffer_of(b.name)
		if not near then
			error("no kernel has '" .. b.name .. "' in shared memory: " ..
				"stage and compute_at put it there", 0)
		end
	end,
	tag_gpu_constant = function(b)
		local _, written = buffer_of(b.name)
		if written then error("'" .. b.name .. "' is written", 0) end
	end,
	tag_gpu_register = function(b)
		error("registers hold what one thread has, and not '" .. b.name .. "'", 0)
	end,
}
function get_buffer(name)
	local b = { name = name }
	buffer_of(name)
	for key, f in pairs(tag) do b[key] = f end
	return b
end

-- Buffers are allocated and copied, and threads wait, where that is needed: what is said
-- of them is checked.
function allocate(name)
	if buffer_of(name) ~= "temporary" then
		error("'" .. name .. "' is the caller's", 0)
	end
end
function memcpy(from, to)
	buffer_of(from)
	local _, written = buffer_of(to)
	if not written then error("nothing is copied to '" .. to .. "'", 0) end
end
function sync(c, l) add_sync(leaf(c), l) end

-- The arrays of the function: all that are the caller's, and no other.
function codegen(arrays)
	for i = 1, #arrays do
		if buffer_of(arrays[i]) == "temporary" then
			error("'" .. arrays[i] .. "' is not the caller's", 0)
		end
	end
end

-- Messages between machines.
function send() one_machine() end
function recv() one_machine() end
function gen_communication() one_machine() end

-- Always done: what is illegal has been refused.
function perform_full_dependency_analysis() end
function check_legality_of_function() return true end
