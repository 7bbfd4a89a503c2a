// SPDX-License-Identifier: GPL-2.0-only
// Source lines and instructions of a function, with exact counts.
"use strict";

hwflow.code = () => {
	const section = {id: "code", title: "Code", fill: true};
	const FIRST_ROWS = 3000;
	const {el, state} = hwflow;
	let choice = null, box = null, note = null, shown = -1;

	const heat = (cell, count, most) => {
		const part = Number(count) / Number(most || 1);

		if (part > 0)
			cell.style.backgroundColor = `rgba(var(--heat), ${(0.05 + 0.3 * part).toFixed(3)})`;
		return cell;
	};
	const digits = value => el("td", {className: "n", textContent: hwflow.digits(hwflow.count(value))});
	// Marks the rows that belong to a source line
	const link = (key, scrollTo) => {
		for (const row of box.querySelectorAll("tr.linked"))
			row.classList.remove("linked");
		const rows = key ? [...box.querySelectorAll("tr[data-line]")].filter(row => row.dataset.line === key) : [];

		for (const row of rows)
			row.classList.add("linked");
		if (scrollTo)
			rows.find(row => scrollTo.contains(row))?.scrollIntoView({block: "center"});
	};
	const sourceRows = (code, file, lines, most) => {
		const [, texts] = code.files[file], rows = [];
		let last = 0;

		for (const [line, text] of texts) {
			const key = file + ":" + line, counts = lines.get(key);
			const button = el("button", {type: "button", textContent: String(line), "aria-label": `Line ${line}: show its instructions`,
				onclick: () => link(key, box.lastChild)});

			if (last && line > last + 1)
				rows.push(el("tr", {className: "never"}, el("td", {colspan: 4, textContent: "⋯"})));
			last = line;
			rows.push(el("tr", {"data-line": key, className: counts && counts.times ? "" : "never"},
				el("td", {className: "n"}, counts ? button : el("span", {className: "soft", textContent: String(line)})),
				counts ? heat(digits(counts.times), counts.times, most) : el("td"),
				counts ? digits(counts.instructions) : el("td"),
				el("td", {className: "text", textContent: text})));
		}
		return rows;
	};
	const source = code => {
		const lines = hwflow.lines(code), most = [...lines.values()].reduce((best, {times}) => times > best ? times : best, 0);
		const pane = el("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Source lines"});

		code.files.forEach(([name, texts], file) => {
			const known = [...lines.keys()].filter(key => key.startsWith(file + ":")).length;

			pane.append(el("table", {}, el("caption", {}, el("span", {className: "mono", textContent: hwflow.base(name), title: name}),
				texts.length ? "" : `: the file is not here, or is another one; ${known} of its lines have instructions`),
			el("thead", {}, el("tr", {}, ...["Line", "Executed", "Instructions"].map(title => el("th", {scope: "col", className: "n", textContent: title})),
				el("th", {scope: "col", textContent: "Source"}))), el("tbody", {}, ...sourceRows(code, file, lines, most))));
		});
		if (!code.files.length)
			pane.append(el("p", {className: "soft", textContent: "The source lines of this function are not known: its program has no debug information here."}));
		return pane;
	};
	const insnRow = (row, most) => {
		const [address, opcode, text, executed, file, line, target, taken, not] = row;

		if (row.length === 2)
			return el("tr", {className: "never"}, el("td", {className: "n", textContent: "0"}), el("td"), el("td", {className: "n", textContent: address}),
				el("td", {className: "text", textContent: `⋯ ${hwflow.digits(opcode)} instructions`}));
		const count = hwflow.count(executed);

		return el("tr", {...file >= 0 ? {"data-line": file + ":" + line} : {}, className: count ? "" : "never"},
			heat(digits(executed), count, most),
			el("td", {className: "n", textContent: taken === undefined ? "" : hwflow.digits(hwflow.count(taken)) + " / " + hwflow.digits(hwflow.count(not))}),
			el("td", {className: "n", textContent: address, title: opcode}), el("td", {className: "text insn"}, text || opcode, target ? "  " + target : ""));
	};
	const instructions = code => {
		const most = code.rows.reduce((best, row) => row.length > 2 && hwflow.count(row[3]) > best ? hwflow.count(row[3]) : best, 0);
		const body = el("tbody", {}, ...code.rows.slice(0, FIRST_ROWS).map(row => insnRow(row, most)));
		const pane = el("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Instructions"},
			el("table", {}, el("caption", {textContent: "Each instruction, and how often it was executed"}), el("thead", {}, el("tr", {},
				...["Executed", "Taken / not", "Address"].map(title => el("th", {scope: "col", className: "n", textContent: title})),
				el("th", {scope: "col", textContent: "Instruction"}))), body));

		if (code.rows.length > FIRST_ROWS)
			pane.append(el("button", {type: "button", textContent: `Show all ${hwflow.digits(code.rows.length)} instructions`, onclick: event => {
				for (const row of code.rows.slice(FIRST_ROWS))
					body.append(insnRow(row, most));
				event.target.remove();
			}}));
		return pane;
	};
	const show = number => {
		const code = state.data.code[number], f = state.functions[code.f];

		shown = number;
		choice.value = String(number);
		note.textContent = `${hwflow.digits(hwflow.count(code.n))} instructions executed, with those of functions inlined in it` +
			` (${hwflow.percent(code.n, state.data.input.instructions)}) · ${hwflow.base(f.file)}`;
		box.replaceChildren(source(code), instructions(code));
		box.onmouseover = event => link(event.target.closest("tr[data-line]")?.dataset.line, null);
	};

	section.build = panel => {
		const {code, code_left: left, disassembled} = state.data;

		panel.append(el("h2", {className: "unseen", textContent: "Code"}));
		if (!code.length) {
			panel.append(el("p", {className: "notice", textContent: "There is no code to show."}));
			return;
		}
		choice = el("select", {id: "code-function", onchange: () => hwflow.select(code[Number(choice.value)].f)}, ...code.map((one, i) =>
			el("option", {value: String(i), textContent: `${hwflow.percent(one.n, state.data.input.instructions)}  ${hwflow.nameOf(one.f).slice(0, 90)}`})));
		choice.style.maxWidth = "100%";
		note = el("span", {className: "soft"});
		box = el("div", {className: "code"});
		panel.append(el("div", {className: "row"}, el("label", {for: "code-function", textContent: "Function"}), choice, note),
			left ? el("p", {className: "notice", textContent: `${hwflow.digits(left)} functions with fewer instructions, or very long ones, have no code here.`}) : "",
			disassembled ? "" : el("p", {className: "notice", textContent: "Instructions are shown as opcodes: no LLVM library was installed where the page was made."}),
			box);
		show(0);
	};
	section.selected = f => {
		const number = f >= 0 ? state.functions[f].code : null;

		if (number !== null && number !== shown)
			show(number);
	};
	return section;
};
