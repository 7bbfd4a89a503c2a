// SPDX-License-Identifier: GPL-2.0-only
// Calculations of the page with its data.
"use strict";

const test = require("node:test");
const assert = require("node:assert");
const path = require("path");
const hwflow = require(path.join(__dirname, "../js/data.js"));

const data = (more = {}) => ({functions: [["main", "/bin/p"], ["a", "/bin/p"], ["b", null]], rows: [], calls: [], code: [], total: 100,
	tree: [[-1, 0, 100, 10, 1], [0, 1, 60, 60, 3], [0, 2, 30, 0, 1], [2, 1, 30, 30, 2]], gaps: {left: 0, places: [], kinds: []}, rows_left: 0,
	tree_left: 0, calls_left: 0, code_left: 0, timeline: {items: [], ids: [-1, 0, 1, 2], origin: 0, untimed: 0, others: 0}, ...more});

test("counts of 64 bits stay exact", () => {
	const most = hwflow.count("18446744073709551615");

	assert.equal(hwflow.digits(most), "18,446,744,073,709,551,615");
	assert.equal(hwflow.count(7), 7);
	assert.equal(hwflow.add(Number.MAX_SAFE_INTEGER, 2), 9007199254740993n);
	assert.equal(hwflow.add(most, 1), 18446744073709551616n);
	assert.equal(hwflow.add(1, 2), 3);
	assert.equal(hwflow.add(5n, 2), 7);
	assert.equal(hwflow.compare(most, 3), 1);
	assert.equal(hwflow.compare(3, 3n), 0);
});

test("numbers for people", () => {
	assert.equal(hwflow.digits(0), "0");
	assert.equal(hwflow.digits(999), "999");
	assert.equal(hwflow.digits(1000), "1,000");
	assert.equal(hwflow.digits(123456789), "123,456,789");
	assert.equal(hwflow.percent(1, 3), "33.3 %");
	assert.equal(hwflow.percent(1, 300), "0.33 %");
	assert.equal(hwflow.percent(1, 0), "0.00 %");
	assert.equal(hwflow.duration(999, "ns"), "999 ns");
	assert.equal(hwflow.duration(1000, "ns"), "1.000 µs");
	assert.equal(hwflow.duration(12345678, "ns"), "12.346 ms");
	assert.equal(hwflow.duration("61000000000", "ns"), "61.000 s");
	assert.equal(hwflow.duration(12345, ""), "12,345");
	assert.equal(hwflow.duration(12345, "ticks"), "12,345 ticks");
	assert.equal(hwflow.short("2.000 ms"), "2 ms");
	assert.equal(hwflow.short("2.500 ms"), "2.5 ms");
	assert.equal(hwflow.short("100 ns"), "100 ns");
	assert.equal(hwflow.bytes(9999), "9,999 bytes");
	assert.equal(hwflow.bytes(1234567), "1.23 MB");
});

test("a search has all words, in any case", () => {
	const matches = hwflow.matcher("Foo bar");

	assert.ok(matches("bar::FOO(int)"));
	assert.ok(!matches("foo"));
	assert.equal(hwflow.matcher("  "), null);
});

test("functions have their counts, and what is not known is null", () => {
	const functions = hwflow.functions(data({rows: [[0, 100, 10, 1], [1, "9007199254740993", 90, 5]],
		calls: [[1, 4, 40, 2, 20, 1, [1, 2, 3, 4], [3, 5], []], [1, 1, 10, 10, 30, 0, [], [], []]], code: [{f: 1}]}));

	assert.equal(functions[0].total, 100);
	assert.equal(functions[1].total, 9007199254740993n);
	assert.equal(functions[2].total, null);
	assert.deepEqual(functions[1].times, {calls: 5, sum: 50, most: 30});
	assert.equal(hwflow.mean(functions[1].times), 10);
	assert.equal(hwflow.mean(functions[0].times), null);
	assert.equal(functions[1].code, 0);
	assert.equal(functions[0].code, null);
});

test("the tree of calls: a callee is in its caller", () => {
	const {root, nodes, deepest} = hwflow.tree(data());
	const [, main, a, b, inner] = nodes;

	assert.equal(deepest, 3);
	assert.deepEqual(root.children, [main]);
	assert.deepEqual(main.children, [a, b]);
	assert.equal(inner.parent, b);
	assert.equal(a.x, 0);
	assert.equal(b.x, 60);
	assert.equal(inner.x, 60);
	for (const node of nodes.slice(1))
		assert.ok(node.x >= node.parent.x && node.x + node.total <= node.parent.x + node.parent.total);
});

test("what functions have executed that a search finds: in each other, once", () => {
	const tree = hwflow.tree(data());

	assert.equal(hwflow.matched(tree, [false, true, false]), 90);
	assert.equal(hwflow.matched(tree, [true, true, false]), 100);
	assert.equal(hwflow.matched(tree, [false, false, false]), 0);
});

const items = [
	[3, 0, 7, 8, "thread", "process", 1],
	[0, 0, 0, "[3 calls shorter than 2 ns are left out]", 4],
	[0, 0, 0, 1, 2], [0, 0, 5, 2], [1, 0, 9], [0, 0, 10, 3, 1, "IRQ"], [1, 0, 12], [2, 0, 15, "[trace missing: lost]"], [1, 0, 15, 2],
	[0, 0, 20, 1], [1, 0, 30],
	[1, 0, 30],
];

test("slices of the timeline are rows by depth", () => {
	const {tracks, end} = hwflow.timeline(data({timeline: {items, ids: [-1, 0, 1, 2], origin: 0}}));
	const [outer, inner] = tracks[0].rows;

	assert.equal(end, 30);
	assert.deepEqual(outer.s, [0, 20]);
	assert.deepEqual(outer.e, [15, 30]);
	assert.deepEqual(outer.f, [0, 0]);
	assert.deepEqual(outer.g, [hwflow.PARTIAL | 8, 0]);
	assert.deepEqual(inner.s, [5, 10]);
	assert.deepEqual(inner.f, [1, 2]);
	assert.deepEqual(inner.x, [null, "IRQ"]);
	assert.deepEqual(tracks[0].notes, ["[3 calls shorter than 2 ns are left out]"]);
	assert.deepEqual(tracks[0].gaps, [{from: 15, to: 20, name: "[trace missing: lost]"}]);
});

test("names that are no functions, and slices that never end", () => {
	const {tracks, names} = hwflow.timeline(data({timeline: {items: [[3, 0, 1, 1, "CPU 0", "trace", 0], [0, 0, 3, "ls 12"], [2, 0, 9, "event", "text"]],
		ids: [], origin: 0}}));

	assert.equal(names[-1 - tracks[0].rows[0].f[0]], "ls 12");
	assert.deepEqual(tracks[0].rows[0].e, [9]);
	assert.deepEqual(tracks[0].instants, [{time: 9, name: "event", text: "text"}]);
});

test("the slice at a time", () => {
	const row = {s: [0, 10, 30], e: [5, 20, 40]};

	assert.equal(hwflow.sliceAt(row, 0), 0);
	assert.equal(hwflow.sliceAt(row, 4), 0);
	assert.equal(hwflow.sliceAt(row, 5), -1);
	assert.equal(hwflow.sliceAt(row, 39), 2);
	assert.equal(hwflow.sliceAt(row, 40), -1);
	assert.equal(hwflow.sliceAt(undefined, 3), -1);
	assert.equal(hwflow.firstAfter(row, 20), 2);
	assert.equal(hwflow.firstAfter(row, 100), 3);
});

test("lines of source text have the counts of their instructions", () => {
	const lines = hwflow.lines({rows: [["0", "aa", "nop", 3, 0, 7, ""], ["4", "bb", "add", 9, 0, 7, ""], ["8", 12], ["c", "cc", "b", 1, -1, 0, ""],
		["10", "dd", "c", "9007199254740993", 1, 7, ""]]});

	assert.deepEqual([...lines], [["0:7", {times: 9, instructions: 12}], ["1:7", {times: 9007199254740993n, instructions: 9007199254740993n}]]);
});

test("a gap ends where the next call begins", () => {
	const track = {rows: [{s: [0, 10, 20]}], instants: [10, 15, 25].map(time => ({time, name: "[trace missing: lost]"}))};

	hwflow.findGaps(track);
	assert.deepEqual(track.gaps.map(({from, to}) => [from, to]), [[10, 10], [15, 20], [25, 25]]);
	hwflow.findGaps(Object.assign(track, {rows: []}));
	assert.deepEqual(track.gaps.map(({from, to}) => [from, to]), [[10, 10], [15, 15], [25, 25]]);
});

test("the next call that a search finds", () => {
	const track = {rows: [{s: [0, 10], f: [1, 2]}, {s: [0, 5, 12], f: [2, 1, 2]}]}, matches = [false, false, true];
	const next = (time, depth) => hwflow.nextFound(track, matches, time, depth);

	assert.deepEqual(next(-1, 0), {time: 0, depth: 1, at: 0});
	assert.deepEqual(next(0, 0), {time: 0, depth: 1, at: 0});
	assert.deepEqual(next(0, 1), {time: 10, depth: 0, at: 1});
	assert.deepEqual(next(10, 0), {time: 12, depth: 1, at: 2});
	assert.equal(next(12, 1), null);
});

test("steps of an axis are round", () => {
	assert.equal(hwflow.step(1000, 10), 100);
	assert.equal(hwflow.step(1001, 10), 200);
	assert.equal(hwflow.step(45, 10), 5);
});

test("a page says what it does not have", () => {
	assert.deepEqual(hwflow.leftOut(data()), []);
	const notes = hwflow.leftOut(data({rows_left: 1200, timeline: {items, ids: [], untimed: 2, others: 1}}));

	assert.equal(notes.length, 4);
	assert.match(notes[0], /^1,200 functions/);
	assert.equal(notes[3], "3 calls shorter than 2 ns are left out of the timeline");
	assert.deepEqual(hwflow.shortCalls(["[1000 calls deeper than 2 are left out]", "[34 calls deeper than 2 are left out]"]),
		["1,034 calls deeper than 2 are left out of the timeline, on 2 tracks"]);
	const [other] = hwflow.leftOut(data({rows: [[0, 5, 5, 1], [1, 4321, 4321, 1]], functions: [["a", null], ["[other contexts]", null]]}));

	assert.match(other, /^4,321 instructions are of calling contexts beyond the limit/);
	assert.equal(hwflow.note("[1542822 calls shorter than 256 ns are left out]"), "1,542,822 calls shorter than 256 ns are left out");
});
