#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# escapes.sh - tools/hwflow prints strings only by functions that escape what may come from an input: print() of
# base/print.h, text_name() and text_left() of base/text.h. Speaks TAP. The rule, for all C files outside of tests:
#
#   - printf(), puts(), perror(), putc() and the like are not called
#   - fputs() and puts() have a literal, fputc() and putchar() a character constant
#   - fwrite() and write() are for files that are read by programs: a list has each
#   - text_string() and its like have a literal, or what a list below has
#   - getopt_long(), which prints words of the command line, is called by option_next() alone
#
# A list has lines "FILE|TEXT|REASON": the line of FILE that has TEXT is allowed.
set -u
cd "${1:-$(dirname "$0")/../../..}" || exit 1
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tap.bash"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

allowed='
base/print.c||it escapes
base/text.c||it writes what others have escaped
base/option_next.c|getopt_long(argc|it is told to print nothing
symbols/debug_files.c|write(fd, &file|a debug file for elfutils
verbs/shorten.c|fputs(text, out)|shorten() has escaped it
verbs/shorten.c|fputs(fitting, out)|shorten() has escaped it
verbs/difference.c|fputs(file, out)|shorten() has escaped it
doctor/list_json.c|puts(text)|json-c has escaped it
doctor/machine_options.c|fputs(verb->usage, stdout)|usage
verbs/options.c|text_string(text_stdout(), verb->usage)|usage
verbs/options.c|text_string(text_stdout(), INPUT_HELP)|usage
verbs/cmd_record.c|fputs(verb->usage, stdout)|usage
verbs/cmd_archive.c|fputs(usage, stdout)|usage
emulate/emulate_options.c|fputs(help_|usage
emulate/emulate_options.c|fputs(UNIT_HELP|usage
verbs/cmd_encode.c|fputs(help_|usage
verbs/cmd_encode.c|fputs(UNIT_HELP|usage
emulate/emulate_run.c|fputs(getcwd(|a file that is read by the plugin
emulate/emulate_run.c|fwrite(options->argv|a file that is read by the plugin
emulate/emulate_run.c|fputs(i ? ",dir="|an option of QEMU
emulate/emulate_run.c|fputs(*at == |an option of QEMU
emulate/emulate_trace.c|fwrite(|trace
emulate/emulate_syscalls.c|fwrite(|part of a recording
verbs/cmd_encode.c|fwrite(bytes|trace
verbs/cmd_encode_log.c|fwrite(magic|a ground-truth log
truth/truth_write.c|fwrite(|a ground-truth log
truth/truth_text.c|putc(*name|a name of a table
truth/truth_text.c|fprintf(out, |numbers and names of tables, many lines
archive/archive_write.c|fwrite(|an archive
profile/profile_json.c|text_string(out, name)|the name of a member
profile/profile_json.c|text_string(out, type)|literals
profile/profile_json.c|json_object_to_json_string_ext(|put_string() has escaped it
profile/profile_callgrind.c|text_string(writer->out, key)|literals
profile/profile_callgrind.c|costs_text(writer->costs, name)|callgrind_costs.c has escaped it
profile/profile_folded.c|text_bytes(out, path->bytes|frame_tree.c has escaped the names
profile/profile_speedscope.c|json_object_to_json_string_ext(|frame_tree.c has escaped it
profile/profile_speedscope.c|? ",\n" : "\n")|literals
profile/profile_message.c|text_bytes(out, |a file for programs; profile_pprof.c has escaped its names
profile/profile_profgen.c|text_string(out, between)|literals
profile/profile_samples_gcc.c|text_bytes(out, name|a file that is read by GCC
base/json.c|text_bytes(text, string, size)|strings of JSON: json_name() has escaped them
page/page.c|text_pass(|the frame of a page, which is part of the command
page/page_part.c|text_pass(|values of JSON
verbs/page_data.c|text_string(out, name)|literals
timeline/timeline_fxt.c|text_bytes(out, |a file for programs; timeline_feed.c has escaped its names
timeline/timeline_perfetto.c|text_bytes(&file->text, |a file for programs; timeline_feed.c has escaped its names
verbs/recorded_counts.c|dprintf(counts->terminal|messages of print()
record/parts/parts.c|write(socket|the number of a part
record/parts/parts.c|fwrite(bytes|a profile
base/output.c|write(fd|bytes of a profile, or of a file of an archive
perfdata/perfdata_write_bytes.c|fwrite(|a recording
record/events/tracing_data.c||part of a recording
record/kernel/kernel_copy.c||files of a recording
record/trigger/trigger_events.c|write(fd|a file of tracefs
record/control.c|write(control->ack|a word for a program
record/workload.c|write(|between processes
verbs/sample_lines.c|text_bytes(out, string, size)|perfdata_sample_print() has escaped it
decode/time_merge.c|text_bytes(|lines, which are escaped
verbs/last_lines.c|text_bytes(out, lines[i]|lines, which are escaped
verbs/script_lines.c|text_string(out, name)|a name of a table
verbs/script_lines.c|text_string(out, m_profile|a name of a table
verbs/script_lines.c|text_string(out, branch->taken|literals
verbs/script_lines.c|text_named_string(out, "  ", hwf_branch_kind_name|a name of a table
verbs/gdb_documents.c|text_string(text, target->program->path)|a path for gdb
verbs/gdb_packets.c|write((int)busy_out|a byte for gdb
decode/text_ahead.c|text_pass(|lines, which are escaped
'

# All calls, each with what follows on the next line: a call may be broken behind its parenthesis
calls() {
	find tools/hwflow -name '*.[ch]' -not -path '*/tests/*' | sort | while read -r file; do
		awk -v file="$file" '
			{ line[NR] = $0 }
			END {
				for (i = 1; i <= NR; i++) {
					text = line[i]
					if (text ~ /^[ \t]*(\/?\*|\/\/)/)
						continue
					if (text ~ /\($/) {
						next_text = line[i + 1]
						sub(/^[ \t]+/, "", next_text)
						text = text next_text
					}
					print file ":" i ":" text
				}
			}' "$file"
	done
}

words='(?<![\w.>])'
# what is forbidden, then what of it the rule allows
calls | {
	grep -P "$words(v?f?printf|vd?printf|dprintf|perror|psignal|f?putc|fputs|puts|putchar|fputc|fwrite|write|getopt|getopt_long|err|errx|warn|warnx|error|text_string|text_bytes|text_pass|text_named_string|text_right|hwf_put_string|hwf_put_bytes|hwf_put_named_string)\(" |
		grep -vP "$words(fputs|puts|text_string|text_right)\((\w+(->\w+)*, )?\"" |
		grep -vP "${words}text_named_string\(\w+(->\w+)*, \"[^\"]*\", \"" |
		grep -vP "$words(fputc|putchar|putc)\('" |
		grep -vP "^[^:]*\.h:\d+:.*(static inline|;$)" || :
} >"$log.all"
: >"$log"
: >"$log.used"
while IFS= read -r found; do
	file=${found%%:*}
	reason=
	while IFS='|' read -r of text reason_of; do
		[ -n "$of" ] && [ "tools/hwflow/$of" = "$file" ] || continue
		[[ $found == *"$text"* ]] || continue
		reason=$reason_of
		echo "$of|$text|$reason_of" >>"$log.used"
		break
	done <<<"$allowed"
	[ -n "$reason" ] || echo "$found" >>"$log"
done <"$log.all"
[ ! -s "$log" ] && [ -s "$log.all" ]
ok $? "strings are printed by functions that escape them" "$log"

# a reason of something that is not there hides the next one
sort -u "$log.used" -o "$log.used"
sed '/^$/d' <<<"$allowed" | sort -u | comm -23 - "$log.used" >"$log"
[ ! -s "$log" ]
ok $? "each exception is needed" "$log"
rm -f "$log.all" "$log.used"
done_testing
