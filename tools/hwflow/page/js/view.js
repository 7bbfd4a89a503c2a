// SPDX-License-Identifier: GPL-2.0-only
// What the sections of the page share: elements, colours, the selected function, the search.
"use strict";

// An element with properties, attributes (those with a dash, role and the like) and children
hwflow.el = (name, properties = {}, ...children) => {
	const element = document.createElement(name);

	for (const [key, value] of Object.entries(properties)) {
		if (key.includes("-") || ["role", "scope", "for", "colspan"].includes(key))
			element.setAttribute(key, value);
		else
			element[key] = value;
	}
	element.append(...children.filter(child => child !== null && child !== undefined));
	return element;
};

// State of the page: the data, the function that is selected, the search
hwflow.state = {data: null, functions: [], calls: [], tree: null, timeline: null, selected: -1, search: null, matches: null, sections: []};

hwflow.say = text => {
	document.getElementById("live").textContent = text;
};

hwflow.nameOf = f => f >= 0 ? hwflow.state.functions[f].name : f === -1 ? "all" : "";

// The file of a function, as its last part; "" if it has none
hwflow.fileOf = f => f >= 0 ? hwflow.base(hwflow.state.functions[f].file) : "";

hwflow.unit = () => hwflow.state.data.measure.unit || "instructions";
hwflow.time = value => hwflow.duration(value, hwflow.state.data.measure.unit) +
	(hwflow.state.data.measure.unit ? "" : " instructions");

// Text with the words of the search marked
hwflow.marked = text => {
	const words = document.getElementById("search").value.toLowerCase().split(/\s+/).filter(word => word);
	const low = text.toLowerCase(), parts = [];
	let at = 0;

	while (words.length && at < text.length) {
		const found = words.map(word => [low.indexOf(word, at), word.length]).filter(([from]) => from >= 0)
			.sort((a, b) => a[0] - b[0] || b[1] - a[1])[0];

		if (!found)
			break;
		parts.push(text.slice(at, found[0]), hwflow.el("mark", {textContent: text.slice(found[0], found[0] + found[1])}));
		at = found[0] + found[1];
	}
	return [...parts, text.slice(at)].filter(part => part !== "");
};

// A button with the name of a function, which selects it
hwflow.functionButton = f => hwflow.el("button", {type: "button", className: "plain mono", onclick: () => hwflow.select(f),
	"data-function": f}, ...hwflow.marked(hwflow.nameOf(f)));

hwflow.section = name => hwflow.state.sections.find(section => section.id === name);

// Selects a function everywhere
hwflow.select = f => {
	const bar = document.getElementById("selection"), chosen = hwflow.state.functions[f];
	const {data} = hwflow.state;

	hwflow.state.selected = f;
	bar.hidden = f < 0;
	bar.replaceChildren();
	if (f >= 0) {
		const facts = [];
		const go = (id, label, known) => known && hwflow.el("button", {type: "button", textContent: label, onclick: () => hwflow.show(id)});

		if (chosen.total !== null)
			facts.push(hwflow.digits(chosen.total) + " instructions with callees (" + hwflow.percent(chosen.total, data.total) + "), " +
				hwflow.digits(chosen.self) + " in itself");
		if (chosen.calls)
			facts.push(hwflow.digits(chosen.calls) + (chosen.calls === 1 ? " call" : " calls"));
		bar.append(hwflow.el("strong", {className: "mono", textContent: chosen.name}),
			hwflow.el("span", {className: "soft", textContent: hwflow.base(chosen.file)}),
			hwflow.el("span", {textContent: facts.join(" · ")}),
			hwflow.el("span", {className: "actions"}, ...[
				go("flame", "Flame graph", chosen.total !== null), go("code", "Code", chosen.code !== null),
				go("durations", "Durations", chosen.times !== null),
				hwflow.el("button", {type: "button", textContent: "✕", "aria-label": "Select no function", onclick: () => hwflow.select(-1)}),
			].filter(button => button)));
	}
	for (const section of hwflow.state.sections)
		section.selected?.(f);
	hwflow.redraw();
};

// Draws the section that is shown
hwflow.redraw = () => {
	for (const section of hwflow.state.sections) {
		if (!section.panel.hidden)
			section.draw?.();
	}
};

// Shows a section
hwflow.show = (id, focus = false) => {
	const shown = hwflow.section(id) || hwflow.state.sections[0];

	for (const section of hwflow.state.sections) {
		const isShown = section === shown;

		section.panel.hidden = !isShown;
		section.tab.setAttribute("aria-selected", isShown);
		section.tab.tabIndex = isShown ? 0 : -1;
	}
	if (focus)
		shown.tab.focus();
	history.replaceState(null, "", "#" + shown.id);
	shown.draw?.();
};

// ---- colours ----

hwflow.colours = {};

hwflow.readColours = () => {
	const style = getComputedStyle(document.documentElement);

	for (const name of ["text", "soft", "panel", "sunk", "line", "strong", "accent", "found", "on-found", "warn", "exception",
		"saturation", "lightness", "on-accent"])
		hwflow.colours[name] = style.getPropertyValue("--" + name).trim();
	hwflow.cache = new Map();
};

// The colour of a function: functions of a file have hues of one third of the circle
hwflow.colourOf = f => {
	let colour = hwflow.cache.get(f);

	if (!colour) {
		const known = hwflow.state.functions[f];
		const hue = known ? (hwflow.hash(known.file || "") % 9) * 40 + 30 : 0;
		const vary = known ? hwflow.hash(known.name) : 0;
		const light = parseInt(hwflow.colours.lightness, 10) + (vary >>> 8) % 9 - 4;

		colour = `hsl(${hue + vary % 120 - 60}, ${known ? hwflow.colours.saturation : "0%"}, ${light}%)`;
		hwflow.cache.set(f, colour);
	}
	return colour;
};

hwflow.initTheme = () => {
	const button = document.getElementById("theme"), root = document.documentElement;
	const system = matchMedia("(prefers-color-scheme: dark)");
	let chosen = null;
	const apply = () => {
		const dark = chosen ? chosen === "dark" : system.matches;

		root.dataset.theme = dark ? "dark" : "light";
		button.textContent = dark ? "Light" : "Dark";
		button.setAttribute("aria-label", dark ? "Light theme" : "Dark theme");
		hwflow.readColours();
		hwflow.redraw();
	};

	button.onclick = () => {
		chosen = root.dataset.theme === "dark" ? "light" : "dark";
		apply();
	};
	system.addEventListener("change", apply);
	apply();
};

// ---- drawings ----

// A canvas that scrolls over content of any height, as one widget for the keyboard. Its parts are items of a tree for screen
// readers, of which only the present one is in the document.
hwflow.canvas = (label, help, handlers) => {
	const item = hwflow.el("div", {role: "treeitem", className: "unseen", id: "item-" + hwflow.hash(label), textContent: "nothing"});
	const canvas = hwflow.el("canvas", {"aria-hidden": "true"});
	const spacer = hwflow.el("div", {className: "spacer", "aria-hidden": "true"});
	const box = hwflow.el("div", {className: "canvas", tabIndex: 0, role: "tree", "aria-label": label, "aria-description": help,
		"aria-activedescendant": item.id}, canvas, spacer, item);
	const view = {box, canvas, width: 0, height: 0, top: 0};

	view.announce = (text, level) => {
		item.textContent = text;
		item.setAttribute("aria-level", Math.max(1, level));
		item.setAttribute("aria-selected", "true");
	};
	// Prepares to draw content of a height; returns the context
	view.begin = height => {
		const ratio = window.devicePixelRatio || 1, width = box.clientWidth, shown = box.clientHeight;
		const context = canvas.getContext("2d");

		spacer.style.height = height + "px";
		if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(shown * ratio)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(shown * ratio);
			canvas.style.height = shown + "px";
		}
		Object.assign(view, {width, height: shown, top: box.scrollTop});
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.fillStyle = hwflow.colours.panel;
		context.fillRect(0, 0, width, shown);
		context.font = "12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
		context.textBaseline = "middle";
		return context;
	};
	// Scrolls so that a part of the content is seen
	view.reveal = (top, height) => {
		if (top < box.scrollTop)
			box.scrollTop = top;
		else if (top + height > box.scrollTop + box.clientHeight)
			box.scrollTop = top + height - box.clientHeight;
	};
	// Where a mouse is in the content
	view.place = event => {
		const frame = canvas.getBoundingClientRect();

		return {x: event.clientX - frame.left, y: event.clientY - frame.top + box.scrollTop};
	};
	box.addEventListener("scroll", () => handlers.draw());
	box.addEventListener("keydown", event => {
		if (event.ctrlKey || event.metaKey || event.altKey || !handlers.key(event.key, event))
			return;
		event.preventDefault();
		event.stopPropagation();
	});
	new ResizeObserver(() => box.clientWidth && handlers.draw()).observe(box);
	return view;
};

// Text in a part of a drawing, cut at its end
hwflow.fitText = (context, text, x, y, width) => {
	const letter = 7.23, room = Math.floor(width / letter);

	if (room < 3)
		return;
	context.fillText(text.length <= room ? text : text.slice(0, room - 1) + "…", x, y);
};

// Help for the keyboard
hwflow.keys = rows => hwflow.el("details", {}, hwflow.el("summary", {textContent: "Keys"}),
	hwflow.el("div", {className: "keys"}, ...rows.map(([keys, text]) => hwflow.el("span", {},
		...keys.split(" ").flatMap(key => [hwflow.el("kbd", {textContent: key}), " "]), text))));

// A table: titles are [text, class], rows are lists of cells: a text, an element, or a list of them
hwflow.table = (caption, titles, rows, className = "") => hwflow.el("table", {className},
	hwflow.el("caption", {}, caption),
	hwflow.el("thead", {}, hwflow.el("tr", {}, ...titles.map(([text, kind = ""]) =>
		hwflow.el("th", {scope: "col", className: kind === "n" ? kind : ""}, text)))),
	hwflow.el("tbody", {}, ...rows.map(row => hwflow.el("tr", {}, ...row.map((cell, i) =>
		hwflow.el("td", {className: titles[i][1] || ""}, ...[cell].flat()))))));
