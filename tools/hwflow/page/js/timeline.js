// SPDX-License-Identifier: GPL-2.0-only
// Calls over time: a track for each thread, with a row for each depth.
"use strict";

hwflow.timelineSection = () => {
	const ROW = 16, HEAD = 20, AXIS = 22, FEW_DEPTHS = 12;
	const section = {id: "timeline", title: "Timeline", fill: true};
	const {state, el} = hwflow;
	let view = null, status = null, from = 0, to = 1, folded = new Set(), tops = [];
	// the present slice: of a track, a depth, and a number in the row; at -1: the track itself
	let current = {track: 0, depth: 0, at: -1}, drag = null;

	const tracks = () => state.timeline.tracks;
	const gutter = () => Math.min(150, Math.max(84, view.width * 0.16));
	const depths = track => folded.has(track.number) ? Math.min(FEW_DEPTHS, track.rows.length) : track.rows.length;
	const heightOf = track => HEAD + Math.max(1, depths(track)) * ROW + 6;
	// tops of the tracks, and the bottom of the last one
	const layOut = () => {
		tops = [AXIS];
		for (const track of tracks())
			tops.push(tops[tops.length - 1] + heightOf(track));
	};
	const topOf = number => tops[number];
	const xOf = time => gutter() + (time - from) / (to - from) * (view.width - gutter());
	const timeOf = x => from + (x - gutter()) / (view.width - gutter()) * (to - from);
	const rowOf = place => tracks()[place.track].rows[place.depth];
	const nameOf = f => f >= 0 ? hwflow.nameOf(f) : state.timeline.names[-1 - f];

	const describe = place => {
		const track = tracks()[place.track], row = place.at >= 0 && rowOf(place);

		if (!row)
			return {name: `${track.name} ${track.tid < 0x400000 ? track.tid : ""}`, file: "", facts: [...track.notes.map(hwflow.note),
				`${track.rows.length} depths of calls`, track.gaps.length && `${hwflow.digits(track.gaps.length)} gaps`].filter(fact => fact).join(", ")};
		const flags = row.g[place.at], facts = [];

		facts.push(hwflow.time(row.e[place.at] - row.s[place.at]), `begins at ${hwflow.time(row.s[place.at])}`, `depth ${place.depth + 1}`);
		if (flags & hwflow.EXCEPTION)
			facts.push(row.x[place.at] ? `exception ${row.x[place.at]}` : "exception or signal");
		if (flags & hwflow.PARTIAL)
			facts.push("its beginning is not known");
		if (flags & 8)
			facts.push("its end is not known");
		return {name: nameOf(row.f[place.at]), file: hwflow.fileOf(row.f[place.at]), facts: facts.join(", ")};
	};
	const tell = place => {
		const {name, file, facts} = describe(place);

		status.replaceChildren(el("b", {className: "mono", textContent: name}), " ", el("span", {className: "soft", textContent: file}),
			el("br"), facts);
	};
	const tellText = text => status.replaceChildren(el("b", {textContent: text}));

	const drawAxis = context => {
		const step = hwflow.step(to - from, Math.max(2, (view.width - gutter()) / 110));
		const {colours} = hwflow;

		context.fillStyle = colours.panel;
		context.fillRect(0, 0, view.width, AXIS);
		context.fillStyle = colours.soft;
		context.strokeStyle = colours.line;
		context.lineWidth = 1;
		context.beginPath();
		for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
			const x = Math.round(xOf(time)) + 0.5;

			context.moveTo(x, AXIS - 6);
			context.lineTo(x, AXIS);
			hwflow.fitText(context, hwflow.short(hwflow.duration(Math.round(time), state.data.measure.unit)), x + 3, AXIS / 2 - 1, view.width - x);
		}
		context.moveTo(0, AXIS - 0.5);
		context.lineTo(view.width, AXIS - 0.5);
		context.stroke();
	};
	const drawSlice = (context, row, at, x, y, wide) => {
		const f = row.f[at], {colours} = hwflow, isFound = state.matches && f >= 0 && state.matches[f];
		const isSelected = f >= 0 && f === state.selected;

		context.globalAlpha = state.matches && !isFound ? 0.4 : 1;
		context.fillStyle = isFound ? colours.found : isSelected ? colours.accent :
			row.g[at] & hwflow.EXCEPTION ? colours.exception : hwflow.colourOf(f);
		context.fillRect(x, y, Math.max(wide - (wide > 3 ? 1 : 0), 1), ROW - 1);
		context.globalAlpha = 1;
		if (wide < 24)
			return;
		context.fillStyle = isFound ? colours["on-found"] : isSelected ? colours["on-accent"] : colours.text;
		hwflow.fitText(context, (row.g[at] & hwflow.PARTIAL ? "… " : "") + nameOf(f), Math.max(x, gutter()) + 3, y + ROW / 2,
			Math.min(x + wide, view.width) - Math.max(x, gutter()) - 6);
	};
	const drawRow = (context, row, y) => {
		let at = hwflow.firstAfter(row, from);

		// of slices that are less than a pixel, one a pixel is drawn
		while (at < row.s.length && row.s[at] < to) {
			const x = xOf(row.s[at]), wide = xOf(row.e[at]) - x;

			drawSlice(context, row, at, x, y, wide);
			at = wide >= 1 ? at + 1 : Math.max(at + 1, hwflow.firstAfter(row, timeOf(x + 1)));
		}
	};
	const drawGaps = (context, track, y, tall) => {
		let last = -1;

		context.strokeStyle = hwflow.colours.warn;
		context.lineWidth = 1.5;
		for (const gap of track.gaps) {
			const x = xOf(gap.from), wide = Math.max(xOf(gap.to) - x, 2);

			if (x > view.width || x + wide < gutter() || x + wide <= last + 1)
				continue;
			last = x + wide;
			context.save();
			context.beginPath();
			context.rect(Math.max(x, gutter()), y, Math.min(wide, view.width - x), tall);
			context.clip();
			context.globalAlpha = 0.14;
			context.fillStyle = hwflow.colours.warn;
			context.fillRect(x, y, wide, tall);
			context.globalAlpha = 0.7;
			context.beginPath();
			for (let at = Math.max(x, 0) - tall; at < Math.min(x + wide, view.width); at += 7) {
				context.moveTo(at, y + tall);
				context.lineTo(at + tall, y);
			}
			context.moveTo(x + 1, y);
			context.lineTo(x + 1, y + tall);
			context.stroke();
			context.restore();
		}
	};
	const drawInstants = (context, track, y) => {
		context.fillStyle = hwflow.colours.accent;
		for (const instant of track.instants) {
			const x = xOf(instant.time);

			if (x >= gutter() && x <= view.width)
				context.fillRect(x - 1, y, 2, 5);
		}
	};
	const drawTrack = (context, track, y) => {
		const tall = Math.max(1, depths(track)) * ROW, {colours} = hwflow;

		for (let depth = 0; depth < depths(track); depth++) {
			const at = y + HEAD + depth * ROW;

			if (at > -ROW && at < view.height)
				drawRow(context, track.rows[depth], at);
		}
		drawGaps(context, track, y + HEAD, tall);
		drawInstants(context, track, y + HEAD - 6);
		context.fillStyle = colours.panel;
		context.fillRect(0, y, gutter() - 1, HEAD + tall + 5);
		context.fillStyle = colours.text;
		const isShort = track.rows.length > FEW_DEPTHS;

		hwflow.fitText(context, (isShort ? folded.has(track.number) ? "▸ " : "▾ " : "") + track.name, 8, y + 12, gutter() - 12);
		context.fillStyle = colours.soft;
		hwflow.fitText(context, track.isThread ? String(track.tid) : track.process, 22, y + 27, gutter() - 26);
		context.strokeStyle = colours.line;
		context.lineWidth = 1;
		context.beginPath();
		context.moveTo(0, y + heightOf(track) - 0.5);
		context.lineTo(view.width, y + heightOf(track) - 0.5);
		context.stroke();
	};
	const drawCurrent = context => {
		const row = current.at >= 0 && rowOf(current), top = topOf(current.track) - view.top;

		context.strokeStyle = hwflow.colours.text;
		context.lineWidth = 2;
		if (!row) {
			if (document.activeElement === view.box)
				context.strokeRect(2, top + 3, gutter() - 5, HEAD - 4);
			return;
		}
		const x = Math.max(xOf(row.s[current.at]), gutter()), end = Math.min(xOf(row.e[current.at]), view.width);

		if (end >= x)
			context.strokeRect(x, top + HEAD + current.depth * ROW, Math.max(end - x - 1, 2), ROW - 2);
	};
	const draw = () => {
		if (!view.box.clientWidth)
			return;
		const context = view.begin(topOf(tracks().length) + 2);

		tracks().forEach((track, number) => {
			const y = topOf(number) - view.top;

			if (y < view.height && y + heightOf(track) > 0)
				drawTrack(context, track, y);
		});
		drawCurrent(context);
		drawAxis(context);
	};
	const setRange = (begin, end) => {
		const whole = state.timeline.end, least = state.data.measure.time ? 20 : 10;
		const length = Math.min(Math.max(end - begin, Math.min(least, whole)), whole);

		from = Math.min(Math.max(begin, 0), whole - length);
		to = from + length;
		draw();
	};
	const zoomBy = (factor, around = (from + to) / 2) => setRange(around - (around - from) * factor, around + (to - around) * factor);
	const pan = part => setRange(from + part * (to - from), to + part * (to - from));
	const setCurrent = place => {
		const row = place.at >= 0 && tracks()[place.track].rows[place.depth];

		current = place;
		if (row && (row.s[place.at] > to || row.e[place.at] < from)) {
			const middle = (row.s[place.at] + row.e[place.at]) / 2;

			setRange(middle - (to - from) / 2, middle + (to - from) / 2);
		}
		if (row && folded.has(place.track) && place.depth >= FEW_DEPTHS) {
			folded.delete(place.track);
			layOut();
		}
		const {name, facts} = describe(place);

		view.announce(`${name}, ${facts}`, row ? place.depth + 2 : 1);
		view.reveal(topOf(place.track) + (row ? HEAD + place.depth * ROW - AXIS : -AXIS), ROW + AXIS);
		tell(place);
		draw();
	};
	// The middle of what is seen of the present slice
	const middle = () => {
		const row = current.at >= 0 && rowOf(current);

		if (!row)
			return (from + to) / 2;
		return (Math.max(row.s[current.at], from) + Math.min(row.e[current.at], to)) / 2;
	};
	const goTrack = step => {
		const number = Math.min(Math.max(current.track + step, 0), tracks().length - 1);

		setCurrent({track: number, depth: 0, at: -1});
	};
	const goDown = () => {
		const track = tracks()[current.track], depth = current.at < 0 ? 0 : current.depth + 1, row = track.rows[depth];
		const begin = current.at < 0 ? from : rowOf(current).s[current.at], end = current.at < 0 ? to : rowOf(current).e[current.at];
		const at = row ? hwflow.firstAfter(row, begin) : -1;

		if (row && at < row.s.length && row.s[at] < end)
			setCurrent({track: current.track, depth, at});
		else if (current.at < 0)
			goTrack(1);
	};
	const goUp = () => {
		if (current.at < 0)
			goTrack(-1);
		else if (!current.depth)
			setCurrent({...current, at: -1});
		else
			setCurrent({...current, depth: current.depth - 1,
				at: hwflow.sliceAt(tracks()[current.track].rows[current.depth - 1], rowOf(current).s[current.at])});
	};
	const goAside = step => {
		const row = current.at >= 0 && rowOf(current);

		if (row && row.s[current.at + step] !== undefined)
			setCurrent({...current, at: current.at + step});
	};
	const goFound = () => {
		const row = current.at >= 0 && rowOf(current);
		const found = state.matches && hwflow.nextFound(tracks()[current.track], state.matches, row ? row.s[current.at] : from - 1, current.depth);

		if (found)
			setCurrent({track: current.track, depth: found.depth, at: found.at});
		else
			hwflow.say(state.matches ? "no call of this thread is found after this one" : "nothing is searched for");
	};
	const zoomTo = place => {
		const row = place.at >= 0 && tracks()[place.track].rows[place.depth];

		if (!row)
			return;
		const margin = (row.e[place.at] - row.s[place.at]) * 0.03;

		setRange(row.s[place.at] - margin, row.e[place.at] + margin);
		setCurrent(place);
	};
	const fold = number => {
		folded[folded.has(number) ? "delete" : "add"](number);
		layOut();
		draw();
	};
	const key = name => {
		const acts = {
			ArrowDown: goDown, ArrowUp: goUp, ArrowLeft: () => goAside(-1), ArrowRight: () => goAside(1),
			PageDown: () => goTrack(1), PageUp: () => goTrack(-1),
			"+": () => zoomBy(0.5, middle()), "=": () => zoomBy(0.5, middle()), w: () => zoomBy(0.5, middle()),
			"-": () => zoomBy(2, middle()), s: () => zoomBy(2, middle()), n: goFound, a: () => pan(-0.2), d: () => pan(0.2),
			Enter: () => current.at < 0 ? fold(current.track) : zoomTo(current),
			Escape: () => setRange(0, state.timeline.end), Home: () => setRange(0, state.timeline.end),
			" ": () => current.at >= 0 && rowOf(current).f[current.at] >= 0 && hwflow.select(rowOf(current).f[current.at]),
		};

		acts[name]?.();
		return name in acts;
	};
	const at = event => {
		const {x, y} = view.place(event);
		const number = tracks().findIndex((track, i) => y >= topOf(i) && y < topOf(i) + heightOf(track));

		if (number < 0 || y - view.top < AXIS)
			return null;
		const track = tracks()[number], depth = Math.floor((y - topOf(number) - HEAD) / ROW);

		if (x < gutter())
			return {track: number, depth: 0, at: -1, isLabel: true};
		const gap = track.gaps.find(one => x >= xOf(one.from) - 1 && x <= Math.max(xOf(one.to), xOf(one.from) + 3));
		const instant = depth < 0 && track.instants.find(one => Math.abs(xOf(one.time) - x) < 3);

		if (gap || instant)
			return {track: number, depth: 0, at: -1, text: gap ? gap.name : instant.name + " " + instant.text};
		if (depth < 0 || depth >= depths(track))
			return {track: number, depth: 0, at: -1};
		const row = track.rows[depth];
		let slice = hwflow.sliceAt(row, timeOf(x));

		if (slice < 0)
			slice = hwflow.sliceAt(row, timeOf(x + 1));
		return {track: number, depth, at: slice};
	};
	const listen = box => {
		box.addEventListener("wheel", event => {
			if (!event.ctrlKey && !event.shiftKey && Math.abs(event.deltaY) > Math.abs(event.deltaX))
				return;
			event.preventDefault();
			if (event.ctrlKey)
				zoomBy(Math.exp(event.deltaY / 200), timeOf(view.place(event).x));
			else
				pan((event.deltaX || event.deltaY) / view.width);
		}, {passive: false});
		box.addEventListener("pointerdown", event => {
			if (event.button === 0 && view.place(event).x > gutter())
				drag = {x: event.clientX, from, to, moved: false};
		});
		addEventListener("pointerup", () => setTimeout(() => {
			drag = null;
		}));
		box.addEventListener("pointermove", event => {
			if (drag && (drag.moved || Math.abs(event.clientX - drag.x) > 4)) {
				const by = (drag.x - event.clientX) / (view.width - gutter()) * (drag.to - drag.from);

				drag.moved = true;
				setRange(drag.from + by, drag.to + by);
				return;
			}
			const place = at(event);

			box.style.cursor = place && (place.at >= 0 || place.isLabel) ? "pointer" : "";
			if (place && place.text)
				tellText(place.text);
			else
				tell(place && (place.at >= 0 || place.isLabel) ? place : current);
		});
		box.addEventListener("click", event => {
			const place = at(event);

			if (!place || (drag && drag.moved))
				return;
			if (place.isLabel)
				fold(place.track);
			if (!place.text)
				setCurrent({track: place.track, depth: place.depth, at: place.at});
			if (place.at >= 0 && rowOf(place).f[place.at] >= 0)
				hwflow.select(rowOf(place).f[place.at]);
		});
		box.addEventListener("dblclick", () => zoomTo(current));
		box.addEventListener("focus", draw);
		box.addEventListener("blur", draw);
	};

	section.build = panel => {
		const button = (text, label, act) => el("button", {type: "button", textContent: text, "aria-label": label, onclick: act});
		const {measure} = state.data, notes = hwflow.shortCalls(tracks().flatMap(track => track.notes));

		status = el("div", {className: "status"});
		view = hwflow.canvas("Timeline", "Arrow keys walk along calls, Page Up and Page Down change the thread, plus and minus zoom, " +
			"Enter zooms to a call, Escape shows all, Space selects the function", {draw, key});
		view.box.setAttribute("aria-label", "Timeline");
		listen(view.box);
		for (const track of tracks()) {
			if (track.rows.length > 40)
				folded.add(track.number);
		}
		layOut();
		to = state.timeline.end;
		panel.append(el("div", {className: "row"}, el("h2", {className: "unseen", textContent: "Timeline"}),
			button("+", "Zoom in", () => zoomBy(0.5, middle())), button("−", "Zoom out", () => zoomBy(2, middle())),
			button("←", "Earlier", () => pan(-0.4)), button("→", "Later", () => pan(0.4)),
			button("All", "All of the time", () => setRange(0, state.timeline.end)),
			el("span", {className: "push"}), el("span", {className: "legend exception", textContent: "exception"}),
			el("span", {className: "legend gap", textContent: "trace missing"}),
			el("span", {className: "soft", textContent: measure.time ? `width: ${measure.name}` :
				"width: instructions that the thread has executed; threads have no common time"})),
		hwflow.keys([["↑ ↓ ← →", "callers, callees, calls before and after"], ["PgUp PgDn", "threads"], ["+ −", "zoom"], ["a d", "earlier, later"],
			["n", "next call found by the search"], ["Enter", "zoom to the call, fold the thread"], ["Esc", "whole time"], ["Space", "select function"], ["Ctrl wheel", "zoom"],
			["Shift wheel", "move"]]), view.box, status);
		if (notes.length)
			panel.append(el("p", {className: "notice", textContent: notes.join("; ")}));
		if (tracks().length)
			tell(current);
	};
	section.draw = () => tracks().length && draw();
	// Shows a call: of a thread, at a time since the origin
	section.reveal = (tid, time, duration, f) => {
		const number = tracks().findIndex(track => track.isThread && track.tid === tid);
		const track = tracks()[number];

		hwflow.show("timeline");
		setRange(time - duration * 0.2 - 1, time + duration * 1.2 + 1);
		for (let depth = 0; track && depth < track.rows.length; depth++) {
			const slice = hwflow.sliceAt(track.rows[depth], time);

			if (slice >= 0 && track.rows[depth].f[slice] === f && track.rows[depth].s[slice] === time)
				setCurrent({track: number, depth, at: slice});
		}
		view.box.focus();
	};
	// for tests
	section.view = () => ({from, to, current: describe(current).name, at: current.at, depth: current.depth});
	return section;
};
