// SPDX-License-Identifier: GPL-2.0-only
// browser.js AXE PLAIN TIMED LOST SMALL HOSTILE - uses pages as a person does. Speaks TAP, without the plan.
"use strict";

const fs = require("fs");
const chromium = require("./chromium.js");

const [axe, plain, timed, lost, small, hostile] = process.argv.slice(2);
let page = null;

const ok = (isGood, name, ...more) => {
	console.log(`${isGood ? "ok" : "not ok"} - ${name}`);
	if (!isGood && more.length)
		console.log("# " + JSON.stringify(more).slice(0, 2000));
};
const show = id => page.run(`hwflow.show(${JSON.stringify(id)})`);
const flame = () => page.run("hwflow.section('flame').view()");
const timeline = () => page.run("hwflow.section('timeline').view()");
const text = selector => page.run(`document.querySelector(${JSON.stringify(selector)}).textContent`);
const shown = () => page.run("hwflow.state.sections.filter(section => !section.panel.hidden).map(section => section.id).join()");
const focus = id => page.run(`document.querySelector("#panel-${id} .canvas").focus()`);
const search = async words => {
	await page.run("document.getElementById('search').focus(); document.getElementById('search').select()");
	await page.press("Backspace", ...words);
	await page.run("new Promise(done => setTimeout(done, 150))");
};

const clean = async name => {
	ok(!page.seen.errors.length, `${name}: nothing is printed on the console`, page.seen.errors);
	ok(page.seen.requests.length === 1 && page.seen.requests[0].startsWith("file:"), `${name}: nothing else is loaded`, page.seen.requests);
};

const testSections = async () => {
	await page.open(plain);
	await clean("a page from disk");
	ok(await shown() === "overview", "it begins with the overview");
	await page.run("document.getElementById('tab-overview').focus()");
	for (const id of ["functions", "flame", "timeline", "code", "durations", "missing", "overview"]) {
		await page.press("ArrowRight");
		ok(await shown() === id && await page.run("document.activeElement.id") === "tab-" + id, `the arrow key goes on to ${id}`);
	}
	await page.press("2");
	ok(await shown() === "functions", "a digit shows a section");
	await clean("all sections");
};

const testSearch = async () => {
	await page.press("/");
	ok(await page.run("document.activeElement.id") === "search", "the key / goes to the search");
	await page.press(..."fib", "Enter");
	ok(await shown() === "functions" && (await text("#panel-functions caption")).includes("1 function found") &&
		await text("#panel-functions tbody td") === "fibprogram", "a search finds a function", await text("#panel-functions"));
	ok(await text("#panel-functions mark") === "fib", "and marks it");
	await show("flame");
	await page.settle();
	const total = await page.run("hwflow.state.functions.find(f => f.name === 'fib').total");

	ok((await text("#panel-flame .row")).includes(`matches: ${total.toLocaleString("en")} instructions`),
		"the flame graph sums up what was found: calls in calls once", await text("#panel-flame .row"), total);
	await search("no such function");
	ok(await text("#matches") === "0 found", "a search that finds nothing");
	await page.press("Escape");
	ok(await text("#matches") === "", "Escape ends the search");
	await show("functions");
	await page.run("document.querySelector('#panel-functions th:nth-child(5) button').click()");
	ok(await page.run("document.querySelector('#panel-functions th:nth-child(5)').getAttribute('aria-sort')") === "descending" &&
		/^(fib|leaf)/.test(await text("#panel-functions tbody td")), "functions are sorted by calls", await text("#panel-functions tbody td"));
};

const testFlame = async () => {
	await show("flame");
	await focus("flame");
	await page.press("Home");
	for (let i = 0; i < 12 && (await flame()).current !== "work"; i++)
		await page.press((await flame()).current === "__tunables_init" ? "ArrowRight" : "ArrowUp");
	const names = [];

	for (const key of ["ArrowDown", "ArrowUp"]) {
		await page.press(key);
		names.push((await flame()).current);
	}
	ok(names[1] !== names[0] && names[1] !== "all", "arrow keys walk to callers and callees", names);
	await page.press("Enter");
	const inner = await flame();

	ok(inner.zoomed === inner.current && inner.zoomed === names[1], "Enter zooms to the function", inner);
	ok((await text("#panel-flame .crumbs")).startsWith("all_start") && (await text("#panel-flame .crumbs")).endsWith(inner.zoomed),
		"the path of the function is shown", await text("#panel-flame .crumbs"));
	ok((await text("#panel-flame [role=treeitem]")).startsWith(inner.zoomed + ", ") &&
		Number(await page.run("document.querySelector('#panel-flame [role=treeitem]').getAttribute('aria-level')")) > 2,
	"a screen reader is told the function and its depth");
	await page.press(" ");
	ok((await text("#selection strong")) === inner.zoomed, "Space selects the function everywhere");
	await page.press("Escape");
	ok((await flame()).zoomed === names[0], "Escape zooms out by one", await flame(), names);
	await page.press("Home");
	ok((await flame()).zoomed === "all", "Home shows all");
	await page.run("[...document.querySelectorAll('#panel-flame button')].find(one => one.textContent === 'Icicle').click()");
	await focus("flame");
	await page.press("Home", "ArrowDown");
	ok(!(await flame()).isFlame && (await flame()).current === "_start", "upside down, the arrows are, too", await flame());
	const before = (await flame()).zoomed;

	await page.send("Input.dispatchMouseEvent", {type: "mousePressed", x: 200, y: await page.run(
		"document.querySelector('#panel-flame canvas').getBoundingClientRect().top + 30"), button: "left", clickCount: 1});
	await page.send("Input.dispatchMouseEvent", {type: "mouseReleased", x: 200, y: await page.run(
		"document.querySelector('#panel-flame canvas').getBoundingClientRect().top + 30"), button: "left", clickCount: 1});
	await page.settle();
	ok(before === "all" && (await flame()).zoomed === "_start", "a click zooms", await flame());
	await page.run("hwflow.select(-1)");
};

const testTimeline = async () => {
	await page.open(timed, "#timeline");
	ok(await shown() === "timeline", "the address chooses a section");
	const whole = await timeline();

	await focus("timeline");
	await page.press("ArrowDown", "ArrowDown", "ArrowDown");
	const inner = await timeline();

	ok(inner.at >= 0 && inner.depth === 2, "the arrow keys go to calls in calls", inner);
	await page.press("ArrowRight");
	ok((await timeline()).current !== inner.current || (await timeline()).at === inner.at + 1, "and to the next call", await timeline());
	await page.press("Enter");
	const near = await timeline();

	ok(near.to - near.from < (whole.to - whole.from) / 2, "Enter zooms to the call", whole, near);
	await page.press("+");
	const nearer = await timeline();

	ok(Math.abs((nearer.to - nearer.from) / (near.to - near.from) - 0.5) < 0.01, "+ zooms in");
	await page.press("d");
	ok((await timeline()).from > nearer.from, "d goes to later times");
	await page.press("Escape");
	ok((await timeline()).from === 0 && (await timeline()).to === whole.to, "Escape shows the whole time");
	await page.run("document.getElementById('search').value = 'leaf'; hwflow.search('leaf'); document.querySelector('#panel-timeline .canvas').focus()");
	await page.press("Escape", "n");
	const first = await timeline();

	await page.press("n");
	ok(first.current === "leaf" && (await timeline()).current === "leaf" && (await timeline()).at !== first.at,
		"n goes to the calls that a search finds", first, await timeline());
	await page.run("document.getElementById('search').value = ''; hwflow.search('')");
	await page.press("PageDown");
	ok(/^program \d+/.test((await timeline()).current) && (await timeline()).at === -1, "Page Down goes to the next thread", await timeline());
	ok((await text("#panel-timeline [role=treeitem]")).startsWith("program "), "a screen reader is told the thread");
	// the longest call of a function
	await page.run("hwflow.show('durations'); hwflow.select(hwflow.state.functions.find(f => f.name === 'work').number)");
	await page.run("document.querySelector('[aria-label=\"Show call 1 in the timeline\"]').click()");
	await page.settle();
	ok(await shown() === "timeline" && (await timeline()).current === "work", "the longest call of a function is shown in the timeline",
		await timeline());
	const box = await page.run("(({x, y, width}) => ({x, y, width}))(document.querySelector('#panel-timeline canvas').getBoundingClientRect())");
	const dragged = await timeline();

	await page.send("Input.dispatchMouseEvent", {type: "mousePressed", x: box.x + 600, y: box.y + 60, button: "left", buttons: 1, clickCount: 1});
	for (const x of [580, 500, 400])
		await page.send("Input.dispatchMouseEvent", {type: "mouseMoved", x: box.x + x, y: box.y + 60, button: "left", buttons: 1});
	await page.send("Input.dispatchMouseEvent", {type: "mouseReleased", x: box.x + 400, y: box.y + 60, button: "left", clickCount: 1});
	await page.settle();
	ok((await timeline()).from > dragged.from, "the mouse moves the time", dragged, await timeline());
	await page.send("Input.dispatchMouseEvent", {type: "mouseWheel", x: box.x + 600, y: box.y + 60, deltaX: 0, deltaY: -100, modifiers: 2});
	await page.settle();
	ok((await timeline()).to - (await timeline()).from < dragged.to - dragged.from, "the wheel zooms with Ctrl");
	await clean("the timeline");
};

const testCode = async () => {
	await page.run("hwflow.show('code'); hwflow.select(hwflow.state.functions.find(f => f.name === 'fib').number)");
	await page.settle();
	ok((await text("#panel-code .code")).includes("return n < 2 ? n : fib(n - 1) + fib(n - 2)"), "the source of a function is shown");
	ok(/-> [0-9a-f]+/.test(await text("#panel-code [aria-label=Instructions]")), "and its instructions");
	await page.run("document.querySelector('#panel-code [aria-label^=Line]').click()");
	ok(await page.run("document.querySelectorAll('#panel-code tr.linked').length") > 1, "a line shows its instructions");
};

const testTheme = async () => {
	const back = () => page.run("getComputedStyle(document.body).backgroundColor");
	const light = await back();

	await page.theme("dark");
	await page.settle();
	const dark = await back();

	ok(dark !== light, "the theme of the system is followed", light, dark);
	await page.run("document.getElementById('theme').focus()");
	await page.press("Enter");
	ok(await back() === light && await text("#theme") === "Dark", "and a button changes it", await back());
	await page.press("Enter");
	ok(await back() === dark, "there and back");
	await page.theme("light");
};

// What axe-core finds in each section, in both themes
const testAccess = async (file, name) => {
	// low, so that sections have to be scrolled
	await page.size(1000, 420);
	await page.open(file);
	// the policy of the page stops scripts of others; the protocol does not
	await page.run(fs.readFileSync(axe, "utf8") + "; 1");
	for (const theme of ["light", "dark"]) {
		await page.theme(theme);
		await page.settle();
		for (const id of await page.run("hwflow.state.sections.map(section => section.id)")) {
			await show(id);
			await page.run("hwflow.select(hwflow.state.functions.find(f => f.times && f.code !== null)?.number ?? -1)");
			await page.settle();
			const found = await page.run("axe.run(document).then(found => found.violations.filter(one => " +
				"['serious', 'critical'].includes(one.impact)).map(one => one.id + ': ' + one.nodes.map(node => node.html.slice(0, 200) + " +
				"(node.any[0]?.message || node.all[0]?.message || '')).slice(0, 3).join(' ')))");

			ok(!found.length, `${name}, ${theme}, ${id}: axe-core finds nothing serious or critical`, found);
		}
	}
	await page.theme("light");
};

const testLost = async () => {
	await page.open(lost, "#missing");
	const count = await page.run("hwflow.state.data.gaps.places.length");

	ok(count > 2 && (await text("#panel-missing")).includes("reserved packet header; waiting for the next synchronisation") &&
		await page.run("document.querySelectorAll('#panel-missing table:last-of-type tbody tr').length") === count,
	`damaged trace: ${count} places, with reason and offset`, await text("#panel-missing"));
	ok(await text("#tab-missing .badge") === String(count), "their number is at the section");
	const kinds = await page.run("hwflow.state.data.gaps.kinds.map(kind => kind[3] + ' × ' + kind[0])");
	const notice = await text("#panel-overview .notice");

	ok(kinds.some(kind => /^\d+ × reserved packet header$/.test(kind)) && kinds.every(kind => notice.includes(kind)),
		"the overview has the reasons", kinds, notice);
	ok(await page.run("hwflow.state.timeline.tracks.flatMap(track => track.gaps).length") === count, "the timeline has as many gaps");
	await show("timeline");
	await page.settle();
	await clean("damaged trace");
};

const testSmall = async () => {
	await page.open(small);
	const notice = await text("#panel-overview .notice:not(.good)");

	ok(/functions that executed the fewest instructions/.test(notice) && /calling contexts/.test(notice) &&
		/\d+ calls shorter than \d+ instructions are left out/.test(notice) && /no source lines/.test(notice),
	"a reduced page says what it leaves out", notice);
	for (const [id, words] of [["functions", "left out"], ["flame", "are left out"], ["timeline", "left out"], ["code", "have no code here"],
		["durations", "are left out"]]) {
		await show(id);
		await page.settle();
		ok((await text("#panel-" + id)).includes(words), `and so does ${id}`);
	}
	await clean("a reduced page");
};

const testHostile = async () => {
	await page.open(hostile, "#functions");
	await clean("hostile names");
	ok(await page.run("window.pwned === undefined && document.querySelectorAll('script').length === 2 && !document.querySelector('img')"),
		"no name becomes an element or a script");
	const names = await page.run("hwflow.state.functions.map(f => f.name)");
	const wanted = ["</script><script>window.pwned=1</script>", "<!--<script>", "<img src=x onerror=window.pwned=1>", "\\342\\200\\250line"];

	for (const name of wanted)
		ok(names.includes(name), `the function ${name} has its name`, names.slice(0, 8));
	await search("</script>");
	ok((await text("#panel-functions tbody td")).startsWith(wanted[0]), "a search finds it", await text("#panel-functions tbody"));
	// scripts that something would put into the page do not run
	await page.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.pwned=1\">'); " +
		"document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.pwned=1'}))");
	await page.settle();
	ok(await page.run("window.pwned === undefined"), "the policy of the page stops other scripts");
	ok(page.seen.errors.some(error => /Content Security Policy/.test(error)), "and the browser says so", page.seen.errors);
};

const main = async () => {
	page = await chromium.open();
	try {
		for (const test of [testSections, testSearch, testFlame, testTimeline, testCode, testTheme, testLost, testSmall, testHostile])
			await test();
		await testAccess(plain, "a page");
		await testAccess(lost, "a damaged recording");
		await page.size(600, 700);
		await page.open(plain, "#functions");
		ok(await page.run("document.documentElement.scrollWidth") <= 600, "600 columns suffice");
	} finally {
		await page.close();
	}
};

main().catch(error => {
	ok(false, "the browser works", error.stack);
	process.exitCode = 1;
});
