-- SPDX-License-Identifier: GPL-2.0-only
-- Work for a program that is profiled: calls, tables, sorting, strings, patterns; so many items, 3000 if not said.
local items = tonumber(arg[1]) or 3000

local function fibonacci(n)
	if n < 2 then
		return n
	end
	return fibonacci(n - 1) + fibonacci(n - 2)
end

local numbers = {}
for i = 1, items do
	numbers[i] = (i * 7919) % 3001
end
table.sort(numbers, function(a, b)
	return a < b
end)

local counts = {}
for i = 1, items do
	local word = ("w" .. i % 97):rep(2)
	counts[word] = (counts[word] or 0) + 1
end
local lines = {}
for word, count in pairs(counts) do
	lines[#lines + 1] = word .. "=" .. count
end
table.sort(lines)
local sum = 0
for word, count in table.concat(lines, ","):gmatch("(%w+)=(%d+)") do
	sum = sum + #word * tonumber(count)
end

local doubled = setmetatable({}, {
	__index = function(_, key)
		return key * 2
	end,
})
for i = 1, items do
	sum = sum + doubled[i]
end
print(fibonacci(17), sum, numbers[1500], string.format("%.3f", math.sqrt(sum)))
