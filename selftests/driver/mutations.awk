# SPDX-License-Identifier: GPL-2.0-only
#
# mutations.awk: LINE, COLUMN, LENGTH and REPLACEMENT of each change of a C file in kernel style, with tabs between;
# comments and macros have none. For mutants-unit.sh and mutants-random.sh.

function change(pattern, by,   at, from, text) {
	from = 1
	while ((at = index(substr(code, from), pattern))) {
		at += from - 1
		printf "%d\t%d\t%d\t%s\n", FNR, at, length(pattern), by
		from = at + length(pattern)
	}
}
/^\/\*/ || /^[ \t]+\/\*/ { comment = 1 }
comment { if (/\*\//) comment = 0; next }
/^[#\/]/ || /^[ \t]*\/\// { next }
{
	code = $0
	change(" < ", " <= ");   change(" <= ", " < ")
	change(" > ", " >= ");   change(" >= ", " > ")
	change(" == ", " != ");  change(" != ", " == ")
	change(" + ", " - ");    change(" - ", " + ")
	change(" += ", " -= ");  change(" -= ", " += ")
	change(" && ", " || ");  change(" || ", " && ")
	change(" & ", " | ");    change(" | ", " & ")
	change(" |= ", " = ");   change(" &= ", " = ")
	change(" << ", " >> ");  change(" >> ", " << ")
	change("round_up(", "round_down("); change("round_down(", "round_up(")
	change("min(", "max(");  change("max(", "min(")
	change("true", "false"); change("false", "true")
	change("(!", "(");       change(" !", " ")
	change(" 1;", " 0;");    change(" 0;", " 1;")
	change("continue;", "break;"); change("break;", ";")
	# a statement of one line that is left out
	if (/^\t+[a-z_>.*-]+(\[.*\])? [|&+-]?= .*;$/ || /^\t+[a-z_]+\(.*\);$/) {
		match($0, /^\t+/)
		printf "%d\t%d\t%d\t;\n", FNR, RLENGTH + 1, length($0) - RLENGTH
	}
}
