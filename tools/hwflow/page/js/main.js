// SPDX-License-Identifier: GPL-2.0-only
// Builds the page.
"use strict";

hwflow.search = text => {
	const {state} = hwflow, matcher = hwflow.matcher(text), matches = document.getElementById("matches");
	let count = 0;

	state.matches = matcher && state.functions.map(f => matcher(f.name));
	for (const found of state.matches || [])
		count += found;
	matches.textContent = matcher ? `${hwflow.digits(count)} found` : "";
	for (const section of state.sections)
		section.searched?.();
	hwflow.redraw();
};

hwflow.buildTabs = () => {
	const {state, el} = hwflow, tabs = document.getElementById("tabs"), panels = document.getElementById("panels");

	state.sections.forEach((section, number) => {
		section.panel = el("section", {id: "panel-" + section.id, role: "tabpanel", tabIndex: section.fill ? -1 : 0, hidden: true,
			className: (section.className || "") + (section.fill ? " fill" : ""), "aria-labelledby": "tab-" + section.id});
		section.tab = el("button", {type: "button", id: "tab-" + section.id, role: "tab", "aria-controls": section.panel.id, "aria-selected": "false",
			onclick: () => hwflow.show(section.id)}, section.title);
		section.tab.addEventListener("keydown", event => {
			const last = state.sections.length - 1;
			const next = {ArrowRight: number === last ? 0 : number + 1, ArrowLeft: number ? number - 1 : last, Home: 0, End: last}[event.key];

			if (next === undefined)
				return;
			event.preventDefault();
			hwflow.show(state.sections[next].id, true);
		});
		tabs.append(section.tab);
		panels.append(section.panel);
		section.build(section.panel);
		if (section.badge)
			section.tab.append(el("span", {className: "badge", textContent: hwflow.digits(section.badge)}));
	});
};

hwflow.listen = () => {
	const search = document.getElementById("search");
	let timer = null;

	search.addEventListener("input", () => {
		clearTimeout(timer);
		timer = setTimeout(() => hwflow.search(search.value), 120);
	});
	search.addEventListener("keydown", event => {
		if (event.key === "Escape" && search.value) {
			search.value = "";
			hwflow.search("");
		} else if (event.key === "Enter") {
			clearTimeout(timer);
			hwflow.search(search.value);
			hwflow.show("functions");
		}
	});
	document.addEventListener("keydown", event => {
		const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);

		if (isTyping || event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (event.key === "/") {
			event.preventDefault();
			search.select();
			search.focus();
		} else if (/^[1-9]$/.test(event.key) && hwflow.state.sections[event.key - 1]) {
			hwflow.show(hwflow.state.sections[event.key - 1].id, true);
		}
	});
	addEventListener("hashchange", () => hwflow.show(location.hash.slice(1)));
};

hwflow.start = () => {
	const {state} = hwflow, data = JSON.parse(document.getElementById("data").textContent);

	Object.assign(state, {data, functions: hwflow.functions(data), calls: hwflow.calls(data), tree: hwflow.tree(data), timeline: hwflow.timeline(data)});
	document.title = hwflow.base(data.input.path) + " – hwflow";
	document.getElementById("path").textContent = data.input.path;
	state.sections = [hwflow.overview(), hwflow.functionTable(), hwflow.flame(), hwflow.timelineSection(), hwflow.code(), hwflow.durations(),
		hwflow.missing()];
	hwflow.readColours();
	hwflow.buildTabs();
	hwflow.initTheme();
	hwflow.listen();
	hwflow.show(location.hash.slice(1));
};

hwflow.start();
