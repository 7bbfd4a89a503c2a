// SPDX-License-Identifier: GPL-2.0-only
// The tree of calls as a flame graph, or upside down as an icicle graph.
"use strict";

hwflow.flame = () => {
	const ROW = 19, LEAST = 0.4;
	const section = {id: "flame", title: "Flame graph", fill: true};
	let zoomed = null, current = null, isFlame = true, view = null, crumbs = null, status = null, found = null;

	const {state, el} = hwflow;
	const height = () => (state.tree.deepest + 1) * ROW + 4;
	// the root of a flame is at the bottom, also if the graph is lower than its frame
	const top = depth => isFlame ? Math.max(height(), view.box.clientHeight) - (depth + 1) * ROW - 2 : depth * ROW + 2;
	// where a node is, in pixels
	const left = node => (node.x - zoomed.x) / Number(zoomed.total) * view.width;
	const width = node => Number(node.total) / Number(zoomed.total) * view.width;

	const describe = node => {
		const share = hwflow.percent(node.total, state.tree.root.total);
		const inZoomed = zoomed === state.tree.root ? "" : ", " + hwflow.percent(node.total, zoomed.total) + " of what is shown";

		return `${hwflow.digits(node.total)} instructions with callees (${share}${inZoomed}), ${hwflow.digits(node.self)} in itself` +
			(node.calls ? `, ${hwflow.digits(node.calls)} ${node.calls === 1 ? "call" : "calls"}` : "");
	};
	const tell = node => {
		status.replaceChildren(el("b", {className: "mono", textContent: hwflow.nameOf(node.f)}), " ",
			el("span", {className: "soft", textContent: hwflow.fileOf(node.f)}), el("br"), describe(node));
	};
	const isAbove = node => {
		for (let at = zoomed; at; at = at.parent) {
			if (at === node)
				return true;
		}
		return false;
	};
	// The nodes that are wide enough, from the root on
	const visible = function* () {
		for (let at = zoomed.parent; at; at = at.parent)
			yield [at, 0, view.width];
		const walk = [zoomed];

		while (walk.length) {
			const node = walk.pop(), wide = width(node);

			yield [node, left(node), wide];
			for (const callee of node.children) {
				if (width(callee) < LEAST)
					break; // the others are not greater
				walk.push(callee);
			}
		}
	};
	const draw = () => {
		if (!view.box.clientWidth)
			return;
		const context = view.begin(height()), {colours} = hwflow;

		for (const [node, x, wide] of visible()) {
			const y = top(node.depth) - view.top;

			if (y < -ROW || y > view.height)
				continue;
			const isFound = state.matches && node.f >= 0 && state.matches[node.f];
			const isAncestor = node !== zoomed && isAbove(node);

			context.globalAlpha = (state.matches && !isFound) || isAncestor ? 0.45 : 1;
			context.fillStyle = isFound ? colours.found : node.f === state.selected && node.f >= 0 ? colours.accent :
				node.f < 0 ? colours.sunk : hwflow.colourOf(node.f);
			context.fillRect(x, y, Math.max(wide - (wide > 3 ? 1 : 0), 0.5), ROW - 1);
			context.globalAlpha = 1;
			context.fillStyle = isFound ? colours["on-found"] : node.f === state.selected && node.f >= 0 ? colours["on-accent"] : colours.text;
			hwflow.fitText(context, hwflow.nameOf(node.f), x + 4, y + ROW / 2, wide - 8);
			if (node === current && (node !== zoomed || document.activeElement === view.box)) {
				context.strokeStyle = colours.text;
				context.lineWidth = 1.5;
				context.strokeRect(x + 0.75, y + 0.25, Math.max(wide - 2, 2), ROW - 2);
			}
		}
		if (current)
			tell(current);
	};
	const setCurrent = node => {
		current = node;
		view.announce(`${hwflow.nameOf(node.f)}, ${describe(node)}`, node.depth + 1);
		view.reveal(top(node.depth), ROW);
		draw();
	};
	const zoom = node => {
		const path = [];

		zoomed = node;
		for (let at = node; at; at = at.parent)
			path.unshift(at);
		const shown = path.length > 24 ? [...path.slice(0, 4), null, ...path.slice(-18)] : path;

		crumbs.replaceChildren(...shown.map(at => el("li", {}, at ? el("button", {type: "button", className: "plain mono",
			textContent: hwflow.nameOf(at.f), onclick: () => zoom(at),
			...at === node ? {"aria-current": "location"} : {}}) : "…")));
		setCurrent(node);
		hwflow.say(`zoomed to ${hwflow.nameOf(node.f)}`);
	};
	const sibling = (node, step) => node.parent && node.parent.children[node.at + step];
	const key = name => {
		const inner = isFlame ? "ArrowUp" : "ArrowDown", outer = isFlame ? "ArrowDown" : "ArrowUp";
		const go = node => node && setCurrent(node);

		switch (name) {
		case inner:
			go(current.children[0]);
			return true;
		case outer:
			if (current === zoomed && zoomed.parent)
				zoom(zoomed.parent);
			else
				go(current.parent);
			return true;
		case "ArrowLeft":
			go(current !== zoomed && sibling(current, -1));
			return true;
		case "ArrowRight":
			go(current !== zoomed && sibling(current, 1));
			return true;
		case "Enter":
			zoom(current);
			return true;
		case " ":
			hwflow.select(current.f);
			return true;
		case "Escape":
		case "Backspace":
			zoom(zoomed.parent || zoomed);
			return true;
		case "Home":
			zoom(state.tree.root);
			return true;
		}
		return false;
	};
	const at = event => {
		const {x, y} = view.place(event);

		for (const [node, from, wide] of visible()) {
			if (y >= top(node.depth) && y < top(node.depth) + ROW && x >= from && x < from + Math.max(wide, 1))
				return node;
		}
		return null;
	};

	section.build = panel => {
		const button = (label, flame) => el("button", {type: "button", textContent: label, "aria-pressed": String(isFlame === flame),
			onclick: () => {
				isFlame = flame;
				for (const one of kinds.children)
					one.setAttribute("aria-pressed", String(one === (flame ? kinds.firstChild : kinds.lastChild)));
				view.box.scrollTop = isFlame ? height() : 0;
				setCurrent(current);
			}});
		const kinds = el("span", {role: "group", "aria-label": "Direction"}, button("Flame", true), " ", button("Icicle", false));

		zoomed = current = state.tree.root;
		found = el("span", {className: "soft"});
		status = el("div", {className: "status"});
		crumbs = el("ol", {className: "crumbs", "aria-label": "Path of the zoomed function"});
		view = hwflow.canvas("Flame graph", "Arrow keys walk along calls, Enter zooms, Escape zooms out, Space selects the function",
			{draw, key});
		view.box.addEventListener("mousemove", event => {
			const node = at(event);

			view.box.style.cursor = node ? "pointer" : "";
			tell(node || current);
		});
		view.box.addEventListener("mouseleave", () => tell(current));
		view.box.addEventListener("focus", draw);
		view.box.addEventListener("blur", draw);
		view.box.addEventListener("click", event => {
			const node = at(event);

			if (!node)
				return;
			zoom(node);
			if (node.f >= 0)
				hwflow.select(node.f);
		});
		panel.append(el("div", {className: "row"}, el("h2", {className: "unseen", textContent: "Flame graph"}), kinds,
			el("button", {type: "button", textContent: "Zoom out", onclick: () => zoom(state.tree.root)}), found,
			el("span", {className: "soft push", textContent: "width: instructions executed, with callees"})),
		hwflow.keys([["↑ ↓ ← →", "callers, callees, neighbours"], ["Enter", "zoom"], ["Esc", "zoom out"], ["Home", "whole"], ["Space", "select function"]]),
		crumbs, view.box, status);
		if (state.data.tree_left)
			panel.append(el("p", {className: "notice", textContent: `${hwflow.digits(state.data.tree_left)} calling contexts with the ` +
				"fewest instructions are left out; their callers include them."}));
		zoom(state.tree.root);
		view.box.scrollTop = height();
	};
	let wasDrawn = false;

	section.draw = () => {
		if (!wasDrawn)
			view.box.scrollTop = isFlame ? height() : 0;
		draw();
		if (!wasDrawn && view.box.clientWidth) {
			view.box.scrollTop = isFlame ? height() : 0;
			wasDrawn = true;
		}
	};
	section.selected = f => {
		if (f >= 0 && current.f !== f)
			setCurrent(state.tree.nodes.find(node => node.f === f) || current);
	};
	section.searched = () => {
		const sum = state.matches && hwflow.matched(state.tree, state.matches);

		found.textContent = state.matches ? `matches: ${hwflow.digits(sum)} instructions with callees, ` +
			hwflow.percent(sum, state.tree.root.total) : "";
	};
	// for tests
	section.view = () => ({zoomed: hwflow.nameOf(zoomed.f), current: hwflow.nameOf(current.f), isFlame, drawn: [...visible()].length});
	return section;
};
