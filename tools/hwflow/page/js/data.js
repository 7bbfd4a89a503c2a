// SPDX-License-Identifier: GPL-2.0-only
// The data of the page, and calculations with it: no document is needed here.
//
// A count is a number, or a BigInt if a number cannot have it exactly. In the data the latter is a string.
"use strict";

const hwflow = {};

hwflow.PARTIAL = 2;
hwflow.EXCEPTION = 1;
hwflow.MARK = 4;

// A count of the data
hwflow.count = value => typeof value === "string" ? BigInt(value) : value;

// The sum of two counts
hwflow.add = (a, b) => {
	const sum = Number(a) + Number(b);

	if (Number.isSafeInteger(sum) && typeof a === "number" && typeof b === "number")
		return sum;
	const exact = BigInt(a) + BigInt(b);

	return exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : exact;
};

hwflow.compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;

// Digits in groups of three
hwflow.digits = value => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

hwflow.percent = (part, all) => {
	const share = Number(all) ? 100 * Number(part) / Number(all) : 0;

	return share.toFixed(share < 10 ? 2 : 1) + " %";
};

const UNITS = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

// A duration for people; of what has no unit, digits
hwflow.duration = (value, unit) => {
	if (unit !== "ns")
		return hwflow.digits(value) + (unit ? " " + unit : "");
	const number = Number(value);
	const [name, size] = UNITS.find(([, least]) => number >= least) || UNITS[3];

	return (size === 1 ? String(value) : (number / size).toFixed(3)) + " " + name;
};

// A duration without zeros at its end
hwflow.short = text => text.replace(/(\.\d*?)0+(?= )/, "$1").replace(/\.(?= )/, "");

// A number of bytes for people
hwflow.bytes = value => {
	const number = Number(value);

	if (number < 10000)
		return hwflow.digits(value) + " bytes";
	return number < 1e6 ? (number / 1e3).toFixed(1) + " kB" : (number / 1e6).toFixed(2) + " MB";
};

// Does a name have all words? Case does not matter.
hwflow.matcher = text => {
	const words = text.toLowerCase().split(/\s+/).filter(word => word);

	return words.length ? name => words.every(word => name.toLowerCase().includes(word)) : null;
};

// The last part of a path
hwflow.base = path => path ? path.slice(path.lastIndexOf("/") + 1) : "";

// A number that a string always has, for colours
hwflow.hash = text => {
	let hash = 2166136261;

	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
	return hash >>> 0;
};

// Durations of calls. Two pieces of code that have one name are two items with one function.
hwflow.calls = data => data.calls.map(([f, calls, sum, least, most, partial, percentiles, rows, longest]) => ({
	f, calls: hwflow.count(calls), sum: hwflow.count(sum), least: hwflow.count(least), most: hwflow.count(most),
	partial: hwflow.count(partial), percentiles: percentiles.map(hwflow.count), rows, longest}));

// The functions, with their counts, and durations of their calls where those are known
hwflow.functions = data => {
	const functions = data.functions.map(([name, file], number) => ({
		number, name, file, total: null, self: null, calls: null, times: null, code: null}));

	for (const [number, total, self, calls] of data.rows)
		Object.assign(functions[number], {total: hwflow.count(total), self: hwflow.count(self), calls: hwflow.count(calls)});
	for (const {f, calls, sum, most} of hwflow.calls(data)) {
		const times = functions[f].times = functions[f].times || {calls: 0, sum: 0, most: 0};

		times.calls = hwflow.add(times.calls, calls);
		times.sum = hwflow.add(times.sum, sum);
		times.most = most > times.most ? most : times.most;
	}
	data.code.forEach((code, i) => {
		if (functions[code.f] && functions[code.f].code === null)
			functions[code.f].code = i;
	});
	return functions;
};

// The mean of the calls that were measured; null: there is none
hwflow.mean = times => times && times.calls ? Number(times.sum) / Number(times.calls) : null;

// The tree of calls: nodes with x from 0 to the total, callees from left to right by their totals. The first node is the root.
hwflow.tree = data => {
	const root = {parent: null, f: -1, total: hwflow.count(data.total), self: 0, calls: 0, depth: 0, x: 0, next: 0, children: []};
	const nodes = [root];

	// a node follows its caller in the list, and the callees of its caller that have greater totals
	for (const [parent, f, total, self, calls] of data.tree) {
		const caller = nodes[parent + 1];
		const node = {parent: caller, f, total: hwflow.count(total), self: hwflow.count(self), calls: hwflow.count(calls),
			depth: caller.depth + 1, x: caller.next, next: caller.next, children: [], at: caller.children.length};

		caller.next += Number(node.total);
		caller.children.push(node);
		nodes.push(node);
	}
	return {root, nodes, deepest: nodes.reduce((most, node) => Math.max(most, node.depth), 0)};
};

// What functions that match have executed with their callees: each instruction counts once
hwflow.matched = (tree, matches) => {
	let sum = 0;
	const walk = [tree.root];

	while (walk.length) {
		const node = walk.pop();

		if (node.f >= 0 && matches[node.f])
			sum = hwflow.add(sum, node.total);
		else
			node.children.forEach(callee => walk.push(callee));
	}
	return sum;
};

// The tracks of the timeline. Slices at one depth are a row of arrays, by time: s and e, their beginnings and ends; f, their
// functions, or -1 minus the number of a name; g, their flags; x, the names of exceptions.
hwflow.timeline = data => {
	const {items, ids, origin} = data.timeline;
	const tracks = [], names = [], numbers = new Map();
	let end = 0;

	const nameOf = name => {
		if (typeof name === "number")
			return ids[name];
		if (!numbers.has(name))
			numbers.set(name, names.push(name) - 1);
		return -1 - numbers.get(name);
	};
	const handlers = [
		(track, time, name, flags = 0, exception = null) => {
			if (flags & hwflow.MARK) {
				track.notes.push(name);
				track.open.push(null);
				return;
			}
			const depth = track.depth++;
			const row = track.rows[depth] = track.rows[depth] || {s: [], e: [], f: [], g: [], x: []};

			track.open.push({row, at: row.s.length});
			row.s.push(time);
			row.e.push(time);
			row.f.push(nameOf(name));
			row.g.push(flags);
			row.x.push(exception);
		},
		(track, time, flags = 0) => {
			const open = track.open.pop();

			if (!open)
				return;
			track.depth--;
			open.row.e[open.at] = time;
			open.row.g[open.at] |= flags && 8;
		},
		(track, time, name, text = "") => track.instants.push({time, name: String(name), text}),
	];

	for (const [kind, number, ...rest] of items) {
		if (kind === 3) {
			const [pid, tid, name, process, isThread] = rest;

			tracks[number] = {number, pid, tid, name, process, isThread, rows: [], instants: [], notes: [], open: [], depth: 0};
			continue;
		}
		rest[0] = Number(rest[0]);
		if (!(kind === 0 && rest[2] & hwflow.MARK))
			end = Math.max(end, rest[0]);
		handlers[kind](tracks[number], ...rest);
	}
	for (const track of tracks) {
		for (const open of track.open.filter(slice => slice))
			open.row.e[open.at] = end;
		delete track.open;
		delete track.depth;
		hwflow.findGaps(track);
	}
	return {tracks, names, origin: hwflow.count(origin), end: end || 1};
};

// The index of the first of rising numbers that is greater than another one
const search = (numbers, least) => {
	let low = 0, high = numbers.length;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (numbers[middle] > least)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
};

// The number of the first slice of a row that ends after a time
hwflow.firstAfter = (row, time) => search(row.e, time);

// The first slice of a track after a time and depth whose function matches; null: there is none
hwflow.nextFound = (track, matches, time, depth) => {
	let found = null;

	track.rows.forEach((row, inner) => {
		let at = search(row.s, inner > depth ? time - 0.5 : time);

		while (at < row.s.length && !(row.f[at] >= 0 && matches[row.f[at]]))
			at++;
		if (at < row.s.length && (!found || row.s[at] < found.time))
			found = {time: row.s[at], depth: inner, at};
	});
	return found;
};

// The slice of a row at a time; -1: there is none
hwflow.sliceAt = (row, time) => {
	if (!row)
		return -1;
	const at = hwflow.firstAfter(row, time);

	return at < row.s.length && row.s[at] <= time ? at : -1;
};

// Places of a track where trace is missing: from the gap to the next slice
hwflow.findGaps = track => {
	track.gaps = track.instants.filter(instant => /^\[(trace missing|execution not known)/.test(instant.name)).map(instant => {
		const row = track.rows[0], next = row && row.s[search(row.s, instant.time - 0.5)];

		return {from: instant.time, to: next === undefined ? instant.time : next, name: instant.name};
	});
};

// How often lines of source text were executed: the most that one of their instructions was, and instructions altogether
hwflow.lines = code => {
	const lines = new Map();

	for (const row of code.rows) {
		const [, , , executed, file, line] = row;

		if (row.length === 2 || file < 0)
			continue;
		const key = file + ":" + line, found = lines.get(key) || {times: 0, instructions: 0};
		const count = hwflow.count(executed);

		if (count > found.times)
			found.times = count;
		found.instructions = hwflow.add(found.instructions, count);
		lines.set(key, found);
	}
	return lines;
};

// Steps of an axis: some round number, so that @most steps or fewer are in a length
hwflow.step = (length, most) => {
	const least = length / most, size = Math.pow(10, Math.floor(Math.log10(least)));

	return [1, 2, 5, 10].map(factor => factor * size).find(step => step >= least);
};

// What a track of the timeline does not have
hwflow.note = text => text.replace(/^\[(.*)\]$/, "$1").replace(/\d+/, hwflow.digits);

// The same of all tracks together: notes that differ in their numbers alone are one sentence
hwflow.shortCalls = notes => {
	const sums = new Map();

	for (const note of notes) {
		const [, count, rest] = note.match(/^\[(\d+) (.*)\]$/), found = sums.get(rest) || {count: 0, tracks: 0};

		sums.set(rest, {count: hwflow.add(found.count, hwflow.add(BigInt(count), 0)), tracks: found.tracks + 1});
	}
	return [...sums].map(([rest, {count, tracks}]) => `${hwflow.digits(count)} ${rest} of the timeline` + (tracks > 1 ? `, on ${tracks} tracks` : ""));
};

// What the page does not have, one sentence each
hwflow.leftOut = data => {
	const notes = [];
	const say = (count, text) => {
		if (count)
			notes.push(hwflow.digits(count) + " " + text);
	};

	say(data.rows_left, "functions that executed the fewest instructions are not in the table");
	say(data.tree_left, "calling contexts with the fewest instructions are not in the flame graph; their callers include them");
	say(data.calls_left, "functions whose calls took the least time have no durations");
	say(data.code_left, "functions have no source lines and instructions here: hwflow annotate prints them");
	say(data.gaps.left, "places where trace is missing are not in the list: --gaps=all prints them");
	say(data.timeline.untimed, "calls are not in the timeline: their thread has no timestamp");
	if (data.timeline.others)
		notes.push("Samples and context switches are not in the timeline: their times are not those of the trace");
	notes.push(...hwflow.shortCalls(data.timeline.items.filter(item => item[0] === 0 && item[4] & hwflow.MARK).map(item => item[3])));
	// names that hwflow itself gives
	for (const [number, , self] of data.rows) {
		const [name] = data.functions[number];

		if (name === "[other contexts]")
			say(self, "instructions are of calling contexts beyond the limit, which are counted together as " + name +
				": --max=contexts=N raises it");
		if (name === "[deeper calls]")
			say(self, "instructions are of calls that are too deep for the tree, which are counted together as " + name);
	}
	return [...new Set(notes)];
};

if (typeof module !== "undefined")
	module.exports = hwflow;
