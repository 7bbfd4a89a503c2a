# SPDX-License-Identifier: GPL-2.0-only
#
# What the tests of -j share: the comparison of a verb with one process and with three. Sourced after tap.bash,
# in a directory for temporary files.

tables=(report "report --by=thread" "report --by=dso --limit=0" annotate)
lines=(dump "dump --format=ref" flow "flow --format=ref" script "script --not-taken --gaps=all"
	"script --sort=thread --fields=tid,time,ip,addr" "script --insn")

# options that each verb takes, beside its own
reading=()

# same COMMAND FILE VERB...: each verb on FILE, with one process and with three
same() {
	local command=$1 file=$2 verb one three

	: >differences
	for verb in "${@:3}"; do
		# shellcheck disable=SC2086 # a verb and its options
		"$command" $verb --quiet -j 1 "${reading[@]}" "$file" >one.out 2>one.err
		one=$?
		# shellcheck disable=SC2086
		"$command" $verb --quiet -j 3 "${reading[@]}" "$file" >three.out 2>three.err
		three=$?
		if [ $one != $three ] || ! cmp -s one.out three.out || ! cmp -s one.err three.err; then
			{
				echo "$verb: $one, with three processes $three"
				diff one.out three.out | cut -c1-160 | head -n 6
				diff one.err three.err | cut -c1-160 | head -n 6
			} >>differences
		fi
	done
	[ ! -s differences ]
	ok $? "$(basename "$file"): the same with three processes" differences
}

# verified FILE OUTPUT CPUS ROUNDS: verify finds the same with a log that is equal, and with logs that lack an
# instruction in the first shard, in the middle, and in the last one: of a recording of CPUs that has the trace of FILE, or
# of FILE itself, if CPUS is 0 (see make_cpus.c)
verified() {
	local percent status

	[ "$3" != 0 ] || cp "$1" "$2"
	for percent in 100 0 50 99; do
		"$build/tests/make_cpus" "$1" "$2" "$3" "$4" $percent
		same "$hwflow" "$2" verify
		status=$((percent == 100 ? 0 : 3))
		"$hwflow" verify --quiet -j 2 "$2" >verified 2>&1
		[ $? = $status ]
		ok $? "$(basename "$2"): verify with two processes finds a log with an instruction less at $percent%: $status" verified
	done
}

# damage FROM TO: a copy with random bytes and with zeros at three places
damage() {
	local size place

	cp "$1" "$2"
	size=$(stat -c %s "$2")
	for place in 3 5 8; do
		head -c 300 /dev/urandom | dd of="$2" bs=1 seek=$((size * place / 10)) conv=notrunc status=none
		head -c $((size / 40)) /dev/zero | dd of="$2" bs=1 seek=$((size * place / 10 + size / 20)) \
			conv=notrunc status=none
	done
}
