# SPDX-License-Identifier: GPL-2.0-only
#
# apt beside the system's: the machine's own archives, but lists, caches and the record of what is
# installed are private. Nothing of the system is changed, and no root is needed. Sourced by
# the fetch-* scripts, which set `me`.

hwflow_cache=${XDG_CACHE_HOME:-$HOME/.cache}/hwflow
hwflow_setup=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The suite of the kernels under test, of the programs that are traced, and of source packages, whatever release this
# machine runs: tests and demonstrations are the same on all releases.
hwflow_suite=bookworm

# apt_prepare DIR ARCHITECTURE TYPES [SUITE]: writes the private configuration that apt_run DIR uses. SUITE is
# another suite of the distribution's own archive, such as trixie or sid; the machine's other archives are
# then left out.
apt_prepare() {
	local dir=$1 arch=$2 types=$3 suite=${4-} file name

	rm -rf "$dir/sources"
	mkdir -p "$dir/sources" "$dir/lists/partial" "$dir/cache/archives/partial"
	: >"$dir/status"
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
		[ -f "$file" ] || continue
		name=$(basename "$file")
		case $name in
		*.sources)
			# a field of many lines goes on where a line begins with a blank
			sed -E -e "s/^[Tt]ypes:.*/Types: $types/" -e '/^[Aa]rchitectures:/d' "$file" |
				apt_other_suite "$suite" stanza >"$dir/sources/$name"
			;;
		*.list)
			apt_list_entries "$file" "$types" | apt_other_suite "$suite" line >"$dir/sources/$name"
			;;
		esac
	done
	cat >"$dir/apt.conf" <<-END
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		#clear DPkg::Post-Invoke;
		#clear DPkg::Pre-Install-Pkgs;
		#clear APT::Architectures;
		APT::Architecture "$arch";
		APT::Architectures { "$arch"; };
		APT::Install-Recommends "false";
		APT::Get::Assume-Yes "true";
		Acquire::Languages "none";
		Acquire::IndexTargets::deb::DEP-11 { DefaultEnabled "false"; };
		Acquire::IndexTargets::deb::Contents-deb { DefaultEnabled "false"; };
		Acquire::Retries "3";
		Dir::Etc::SourceList "/dev/null";
		Dir::Etc::SourceParts "$dir/sources";
		Dir::State "$dir";
		Dir::State::Lists "$dir/lists";
		Dir::State::status "$dir/status";
		Dir::State::extended_states "$dir/extended_states";
		Dir::Cache "$dir/cache";
		Dir::Cache::archives "$dir/cache/archives";
	END
	# who runs this can write to the cache; apt's own user may not
	[ "$(id -u)" -ne 0 ] || echo 'APT::Sandbox::User "root";' >>"$dir/apt.conf"
}

# one-line entries of FILE, once for each of TYPES, without a choice of architectures
apt_list_entries() {
	local file=$1 types=$2 type

	for type in $types; do
		sed -nE -e "s/^[[:space:]]*deb[[:space:]]/$type /" \
			-e "/^$type /{s/(\[[^]]*)arch=[^] ]*/\1/; s/\[[[:space:]]*\]//; p}" "$file"
	done | awk '!seen[$0]++'
}

# apt_other_suite SUITE stanza|line: change the entries of the machine's own suite into entries of SUITE; without SUITE
# the entries stay unchanged. The machine's own suite is named by its codename, or stable or oldstable. Unstable,
# experimental and backports have no suites of updates.
apt_other_suite() {
	local codename

	[ -n "$1" ] || {
		cat
		return
	}
	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	awk -v suite="$1" -v codename="$codename" -v form="$2" '
		# the word without the name of the own suite is empty, or -updates, -security and the like
		function other(word) {
			sub(own, "", word)
			if (word ~ /^-/ && suite ~ /^(sid|experimental|.*-backports)$/)
				return ""
			return suite word
		}
		# in a line the suite is the word before the components; a stanza has a field of suites
		function entry(text,	n, i, j, m, words, lines, kept, out) {
			n = split(text, lines, "\n")
			for (i = 1; i <= n; i++) {
				if (form == "line" || tolower(lines[i]) ~ /^suites:/) {
					m = split(lines[i], words, " ")
					out = ""
					for (j = 1; j <= m; j++)
						if (words[j] ~ own "(-|$)") {
							if (other(words[j]) == "")
								continue
							kept = 1
							out = out other(words[j]) " "
						} else {
							out = out words[j] " "
						}
					lines[i] = out
				}
				text = i == 1 ? lines[i] : text "\n" lines[i]
			}
			return kept ? text : ""
		}
		BEGIN {
			own = "^(" codename "|stable|oldstable)"
			RS = form == "line" ? "\n" : ""
		}
		{ text = entry($0); if (text != "") print text (form == "line" ? "" : "\n") }'
}

# apt_run DIR PROGRAM ARGUMENT...: apt-get, apt-cache with the private state
apt_run() {
	local dir=$1 program=$2

	shift 2
	"$program" -c "$dir/apt.conf" "$@"
}

# apt_quiet DIR PROGRAM ARGUMENT...: the same, heard only where it fails
apt_quiet() {
	local dir=$1

	if ! apt_run "$@" >"$dir/log" 2>&1; then
		sed 's/^/    /' "$dir/log" | tail -n 20 >&2
		return 1
	fi
}

fail() {
	echo "$me: $*" >&2
	exit 1
}

# use_meson SUITE: QEMU 10 needs Meson 1.5. Where the installed one is older, as on Debian 12, the package of SUITE, which
# works with any Python 3, is unpacked.
use_meson() {
	local root

	! dpkg --compare-versions "$(meson --version 2>/dev/null)" ge 1.5 || return 0
	root=$("$hwflow_setup/fetch-arm64" --suite "$1" --arch "$(dpkg --print-architecture)" --only meson)
	export PYTHONPATH=$root/usr/lib/python3/dist-packages
}

# put_program FROM TO: replaces TO by a copy of FROM in one step, since another process may be executing TO, or be
# replacing it as well
put_program() {
	mkdir -p "$(dirname "$2")"
	cmp -s "$1" "$2" || { cp "$1" "$2.$$" && mv "$2.$$" "$2"; }
}
