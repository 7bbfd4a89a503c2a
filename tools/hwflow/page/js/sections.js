// SPDX-License-Identifier: GPL-2.0-only
// The sections that are tables: overview, functions, durations, missing trace.
"use strict";

hwflow.overview = () => {
	const section = {id: "overview", title: "Overview"};
	const {el, state} = hwflow;

	const facts = rows => el("dl", {}, ...rows.filter(([, value]) => value).flatMap(([name, value]) =>
		[el("dt", {textContent: name}), el("dd", {}, value)]));
	const figure = (value, name) => el("li", {}, el("b", {textContent: value}), el("span", {className: "soft", textContent: name}));
	const verdict = () => {
		const {input, gaps} = state.data;
		const reasons = gaps.kinds.map(([reason, file, , count]) => `${hwflow.digits(count)} × ${reason}${file ? ", in " + file : ""}`);

		if (input.damaged)
			reasons.push("part of the file could not be read");
		if (input.incomplete)
			reasons.push("the recording was not completed: trace after its end is missing");
		if (input.samples)
			reasons.push("the trace is in samples: execution between them is not recorded, and parts in several samples count several times");
		if (!reasons.length)
			return el("p", {className: "notice good", textContent: "Nothing is missing: every instruction of the trace was followed."});
		return el("div", {className: "notice"}, "Not all of the execution is known:", el("ul", {}, ...reasons.map(reason => el("li", {textContent: reason}))));
	};
	const left = () => {
		const notes = hwflow.leftOut(state.data);

		return notes.length ? el("div", {className: "notice"}, "Left out of this page, to keep it small (--budget):",
			el("ul", {}, ...notes.map(note => el("li", {textContent: note})))) : null;
	};
	const hottest = () => {
		const rows = state.functions.filter(f => f.self).sort((a, b) => hwflow.compare(b.self, a.self)).slice(0, 12);

		return hwflow.table("The functions that executed the most instructions themselves", [["Function"], ["Instructions", "n"], ["Share", "n"]],
			rows.map(f => [hwflow.functionButton(f.number), hwflow.digits(f.self), hwflow.share(f.self)]));
	};

	section.build = panel => {
		const {input, measure, tool} = state.data, timed = measure.time && measure.unit;

		panel.append(el("h2", {className: "unseen", textContent: "Overview"}),
			el("ul", {className: "figures"}, figure(hwflow.digits(input.instructions), "instructions"),
				figure(hwflow.digits(input.threads.length), input.threads.length === 1 ? "thread" : "threads"),
				figure(hwflow.digits(state.functions.filter(f => f.total).length + state.data.rows_left), "functions"),
				timed ? figure(hwflow.time(state.timeline.end), "from first to last event") : "",
				figure(hwflow.bytes(input.bytes), "of trace"),
				figure(hwflow.digits(state.data.gaps.places.length + state.data.gaps.left), "gaps")),
			verdict(), left() || "",
			el("div", {className: "grid"},
				el("section", {}, el("h3", {textContent: "Recording"}), facts([
					["File", input.path], ["Selected", input.selected ? "part of the trace (--time or --offset)" : ""],
					["Command", input.command && input.command.length ? el("code", {textContent: input.command.join(" ")}) : ""],
					["Machine", [input.host, input.arch, input.kernel].filter(word => word).join(", ")],
					["Ranges", hwflow.digits(input.ranges)], ["Durations", measure.name], ["Page by", tool]]),
				el("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Threads and trace"},
					hwflow.table("Threads", [["Thread"], ["Number", "n"], ["Process", "n"], ["Instructions", "n"], ["Share", "n"]],
						input.threads.map(([tid, pid, name, count]) => [name || "(name not known)", String(tid ?? "not known"), String(pid ?? ""),
							hwflow.digits(hwflow.count(count)), hwflow.share(hwflow.count(count))])),
					el("h3", {textContent: "Trace"}),
					hwflow.table("Sources of trace", [["Source"], ["Protocol"], ["Pieces", "n"], ["Bytes", "n"]],
						input.sources.map(([name, protocol, pieces, bytes]) => [name, protocol, hwflow.digits(pieces), hwflow.digits(bytes)])))),
				el("section", {}, el("h3", {textContent: "Hottest functions"}), hottest())));
	};
	return section;
};

// A share of all instructions, with a bar
hwflow.share = value => {
	const bar = hwflow.el("span", {className: "bar"}), all = hwflow.state.data.input.instructions;

	bar.style.width = Math.min(100, 100 * Number(value) / Number(all || 1)).toFixed(1) + "%";
	return hwflow.el("span", {className: "share"}, hwflow.percent(value, all), bar);
};

hwflow.functionTable = () => {
	const section = {id: "functions", title: "Functions", className: "table"};
	const PAGE = 200;
	const {el, state} = hwflow;
	let sort = "total", isDown = true, limit = PAGE, body = null, heads = null, more = null, note = null;
	const columns = [
		["name", "Function", f => f.name.toLowerCase()], ["total", "With callees", f => f.total], ["share", "Share", f => f.total],
		["self", "Itself", f => f.self], ["calls", "Calls", f => f.calls], ["sum", state.data.measure.time ? "Total time" : "Total", f => f.times && f.times.sum],
		["mean", "Mean", f => hwflow.mean(f.times)], ["most", "Longest", f => f.times && f.times.calls ? f.times.most : null],
	];

	const cells = f => {
		const digits = value => value === null ? "" : hwflow.digits(value);
		const times = f.times && f.times.calls ? f.times : null;

		return [
			el("td", {className: "name"}, hwflow.functionButton(f.number), el("span", {className: "soft", textContent: hwflow.base(f.file)})),
			el("td", {className: "n", textContent: digits(f.total)}), el("td", {className: "n"}, f.total === null ? "" : hwflow.share(f.total)),
			el("td", {className: "n", textContent: digits(f.self)}), el("td", {className: "n", textContent: f.calls ? digits(f.calls) : ""}),
			...[times && times.sum, times && Math.round(hwflow.mean(times)), times && times.most].map(value =>
				el("td", {className: "n", textContent: value === null ? "" : hwflow.duration(value, state.data.measure.unit)})),
		];
	};
	const fill = () => {
		const value = columns.find(([id]) => id === sort)[2];
		const rows = state.functions.filter(f => (f.total !== null || f.times) && (!state.matches || state.matches[f.number]));

		// what is not known comes last
		rows.sort((a, b) => {
			const x = value(a), y = value(b);

			if (x === null || y === null)
				return (x === null) - (y === null) || a.number - b.number;
			return (isDown ? hwflow.compare(y, x) : hwflow.compare(x, y)) || a.number - b.number;
		});
		body.replaceChildren(...rows.slice(0, limit).map(f => el("tr", {className: f.number === state.selected ? "chosen" : ""}, ...cells(f))));
		heads.forEach((head, i) => {
			if (columns[i][0] === sort)
				head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
			else
				head.removeAttribute("aria-sort");
		});
		more.hidden = rows.length <= limit;
		more.textContent = `Show ${hwflow.digits(Math.min(PAGE * 5, rows.length - limit))} more of ${hwflow.digits(rows.length)}`;
		note.textContent = `${hwflow.digits(rows.length)} ${rows.length === 1 ? "function" : "functions"}` + (state.matches ? " found" : "") +
			(state.data.rows_left ? `; ${hwflow.digits(state.data.rows_left)} with the fewest instructions are left out of this page` : "");
	};

	section.build = panel => {
		heads = columns.map(([id, title]) => el("th", {scope: "col", className: id === "name" ? "" : "n"}, el("button", {type: "button",
			textContent: title, onclick: () => {
				isDown = sort === id ? !isDown : id !== "name";
				sort = id;
				fill();
			}})));
		body = el("tbody");
		note = el("caption");
		more = el("button", {type: "button", onclick: () => {
			limit += PAGE * 5;
			fill();
		}});
		panel.append(el("h2", {className: "unseen", textContent: "Functions"}),
			el("table", {}, note, el("thead", {}, el("tr", {}, ...heads)), body), el("p", {}, more));
		fill();
	};
	section.searched = () => {
		limit = PAGE;
		fill();
	};
	section.selected = fill;
	return section;
};

hwflow.durations = () => {
	const section = {id: "durations", title: "Durations", fill: true};
	const {el, state} = hwflow;
	let list = null, detail = null, shown = null;

	const longest = calls => {
		const origin = state.timeline.origin;

		return calls.longest.map(([begin, duration, instructions, caller, tid], i) => {
			// both may be numbers of 64 bits
			const since = Number(BigInt(begin) - BigInt(origin));

			return [String(i + 1), hwflow.time(hwflow.count(duration)), hwflow.digits(hwflow.count(instructions)), hwflow.time(since),
				caller >= 0 ? hwflow.functionButton(caller) : "not known", tid === null ? "" : String(tid),
				el("button", {type: "button", className: "plain", textContent: "show", "aria-label": `Show call ${i + 1} in the timeline`,
					onclick: () => hwflow.section("timeline").reveal(tid, since, Number(duration), calls.f)})];
		});
	};
	const histogram = ({rows}) => {
		const {scale} = state.data, most = Math.max(...rows.filter((_, i) => i % 2).map(Number));
		const lines = [];

		for (let i = 0; i < rows.length; i += 2) {
			const bar = el("span", {className: "bar"}), next = scale[rows[i] + 1];

			bar.style.width = Math.max(0.5, 100 * Number(rows[i + 1]) / most).toFixed(1) + "%";
			lines.push([hwflow.time(hwflow.count(scale[rows[i]])), next === undefined ? "" : hwflow.time(hwflow.count(next)),
				hwflow.digits(hwflow.count(rows[i + 1])), bar]);
		}
		return hwflow.table("Histogram", [["From", "n"], ["To, less than", "n"], ["Calls", "n"], ["", "wide"]], lines, "hist");
	};
	const show = calls => {
		shown = calls;
		detail.replaceChildren(el("h3", {className: "mono", textContent: hwflow.nameOf(calls.f)}),
			el("p", {className: "soft", textContent: `${hwflow.digits(calls.calls)} ${calls.calls === 1 ? "call was" : "calls were"} seen from beginning to end` +
				(calls.partial ? `; of ${hwflow.digits(calls.partial)} the beginning or the end is not in the trace: not measured` : "")}));
		if (!calls.calls)
			return;
		detail.append(hwflow.table("Percentiles: this share of calls takes no longer, to 0.8 %",
			[["Least", "n"], ...state.data.shares.map(share => [share + " %", "n"]), ["Longest", "n"]],
			[[calls.least, ...calls.percentiles, calls.most].map(hwflow.time)]), histogram(calls),
		hwflow.table("The longest calls", [["", "n"], ["Duration", "n"], ["Instructions", "n"], ["Begins at", "n"], ["Caller"], ["Thread", "n"], [""]], longest(calls)));
	};
	const nameOf = calls => {
		const button = hwflow.functionButton(calls.f);

		button.addEventListener("click", () => {
			show(calls);
			fill();
		});
		return button;
	};
	const fill = () => {
		const rows = state.calls.filter(calls => !state.matches || state.matches[calls.f]).slice(0, 500);
		const {unit} = state.data.measure;

		list.replaceChildren(hwflow.table(`Duration of calls in ${state.data.measure.name}, with all that they call` +
			(rows.length === 500 ? ": the first 500" : ""), [["Function"], ["Calls", "n"], ["Total", "n"], ["Mean", "n"], ["99 %", "n"]],
		rows.map(calls => [nameOf(calls), hwflow.digits(calls.calls), ...calls.calls ? [hwflow.duration(calls.sum, unit),
			hwflow.duration(Math.round(hwflow.mean(calls)), unit), hwflow.duration(calls.percentiles[2], unit)] : ["", "", ""]])));
		if (!shown && rows.length)
			show(rows[0]);
		list.querySelectorAll("tbody tr").forEach((row, i) => row.classList.toggle("chosen", rows[i] === shown));
	};

	section.build = panel => {
		list = el("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Functions with durations"});
		detail = el("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Durations of the calls of a function"});
		panel.append(el("h2", {className: "unseen", textContent: "Durations"}),
			state.data.calls_left ? el("p", {className: "notice", textContent: `${hwflow.digits(state.data.calls_left)} functions whose calls took ` +
				"the least time are left out."}) : "",
			el("div", {className: "split"}, list, detail));
		fill();
	};
	section.searched = fill;
	section.selected = f => {
		const calls = f >= 0 && shown?.f !== f && state.calls.find(one => one.f === f);

		if (calls)
			show(calls);
		fill();
	};
	return section;
};

hwflow.missing = () => {
	const section = {id: "missing", title: "Missing trace", className: "table"};
	const {el, state} = hwflow;

	section.build = panel => {
		const {gaps, input, measure} = state.data, {origin} = state.timeline, SHOWN = 1000;

		section.badge = gaps.kinds.reduce((sum, kind) => hwflow.add(sum, hwflow.count(kind[3])), 0);
		panel.append(el("h2", {className: "unseen", textContent: "Missing trace"}));
		if (!gaps.kinds.length && !gaps.places.length) {
			panel.append(el("p", {className: input.damaged ? "notice" : "notice good", textContent: input.damaged ?
				"Part of the file could not be read; what could be read has no gap." : "No trace is missing."}));
			return;
		}
		panel.append(el("p", {textContent: "At these places the trace, or the code that it needs, is missing. All counts of this page are " +
			"without what was executed there."}),
		hwflow.table("Reasons", [["Reason"], ["File"], ["Places", "n"], ["Bytes of trace not followed", "n"], ["First place", "mono"]],
			gaps.kinds.map(([reason, file, remedy, count, bytes, first]) => [reason + remedy, file || "", hwflow.digits(hwflow.count(count)),
				hwflow.digits(hwflow.count(bytes)), first])),
		el("h3", {textContent: "Places"}),
		hwflow.table(`${hwflow.digits(gaps.places.length)} places in the order of the trace` + (gaps.places.length > SHOWN ? `: the first ${SHOWN}` : "") +
			(gaps.left ? `; ${hwflow.digits(gaps.left)} more are left out of this page` : ""),
		[["Place: source, AUX record, offset in the trace", "mono"], ["Reason"], [measure.time ? "Time since the beginning" : "", "n"]],
		gaps.places.slice(0, SHOWN).map(([reason, place, time]) => [place, reason,
			time === null ? "" : hwflow.time(Number(BigInt(time) - BigInt(origin)))])));
	};
	return section;
};
