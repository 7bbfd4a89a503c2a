# SPDX-License-Identifier: GPL-2.0-only
#
# For tests that look for words in C files.

# code_of FILE...: "FILE LINE" for each line, without comments; strings are empty
code_of() {
	awk '
		FNR == 1 { comment = 0 }
		{
			line = $0
			gsub(/\\./, "", line)
			gsub(/"[^"]*"/, "\"\"", line)
			if (comment) {
				if (!sub(/^.*\*\//, "", line))
					next
				comment = 0
			}
			gsub(/\/\*[^*]*\*+([^\/*][^*]*\*+)*\//, "", line)
			sub(/\/\/.*/, "", line)
			comment = sub(/\/\*.*/, "", line)
			print FILENAME, line
		}' "$@"
}
