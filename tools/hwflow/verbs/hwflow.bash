# SPDX-License-Identifier: GPL-2.0-only
#
# Completion of hwflow's command line in bash. Options that end in '=' want a value, those that end
# in '[=' may have one; tools/setup/tests/install.sh compares them with each verb's --help.

_hwflow_verbs='record stat top dump flow emulate verify script gdbserver report calls timeline html encode annotate profile crash diff archive list doctor'
_hwflow_input='--source= -C --cpu= -t --tid= --protocol= --dialect= --config= --framing= --image= --symfs= -j --jobs= --max= -q --quiet'

_hwflow_select='--time= --request[= --offset='

_hwflow_unit="--cycle-counts[= --vary-cycles= --timestamps[= --virtual-time --context-id --vmid --return-stack
	--branch-broadcast[= --filter= --strobe= --events[= --q-elements[= --source-addresses[=
	--speculation= --wrong-paths= --max-spec= --commit-mode= --sync-period= --sync= --revision=
	--timestamp-markers"

# Options of a verb
_hwflow_options() {
	case $1 in
	dump) echo "--format= $_hwflow_select --limit= --gaps= $_hwflow_input --sandbox[= -h --help" ;;
	flow) echo "--format= --taken-back --split-source $_hwflow_select --limit= --gaps= $_hwflow_input --sandbox[= -h --help" ;;
	verify) echo "--truth= --filtered --missing-code --changed-code $_hwflow_input --sandbox[= -h --help" ;;
	script) echo "--insn --not-taken -F --fields= --sort= --tail= --full-paths --no-lines --no-demangle --debug-dir= --no-events --mappings $_hwflow_select --limit= --gaps= $_hwflow_input --sandbox[= -h --help" ;;
	gdbserver) echo "--limit= -p --pid= $_hwflow_select --gaps= $_hwflow_input --sandbox[= -h --help" ;;
	report) echo "--by= --comm= --filter= --sort= --limit= --width= --percent-limit= --inclusive --call-graph[= --measure= --no-demangle --debug-dir= $_hwflow_select --gaps= $_hwflow_input --sandbox[= -h --help" ;;
	calls) echo "--function= --between= --over= --measure= --show= --syscalls --sort= --limit= --width= --debug-dir= $_hwflow_select --gaps= $_hwflow_input --sandbox[= -h --help" ;;
	html) echo "-o --output= --budget= --min-duration= --depth= --debug-dir= $_hwflow_select --gaps= $_hwflow_input --sandbox[= -h --help" ;;
	timeline) echo "-o --output= --for= --budget= --min-duration= --depth= --debug-dir= $_hwflow_select --gaps= $_hwflow_input --sandbox[= -h --help" ;;
	record)
		echo "-p --pid= -t --tid= -a --all-cpus -C --cpu= --per-thread --user --kernel --no-kcore -e --event= --filter= -D" \
			"--delay= --cycles --timestamps --all-cgroups --strobe= -S --snapshot[= --trigger= --trigger-tail= --multi-snapshot -m --buffers= -o --output= --profile[= --profile-memory= -j" \
			"--jobs= --control= -z --compression-level[= --fail-on-loss -q --quiet -h --help"
		;;
	stat) echo "-r --repeat= $(_hwflow_options record)" ;;
	top) echo "--interval= --by= --sort= --limit= $(_hwflow_options record)" ;;
	annotate) echo "--symbol= --limit= --all --measure= --full-paths --no-lines --no-demangle --debug-dir= $_hwflow_select --gaps= $_hwflow_input --sandbox[= -h --help" ;;
	profile) echo "-o --output= --for= --by= --call-graph[= --measure= --group= --dso= --debug-dir= $_hwflow_select --gaps= $_hwflow_input --sandbox[= -h --help" ;;
	crash) echo "--tail= --insn --full-paths --debug-dir= --gaps= $_hwflow_input --sandbox[= -h --help" ;;
	diff) echo "--by= --map= --limit= --width= --no-demangle --debug-dir= --gaps= $_hwflow_input --sandbox[= -h --help" ;;
	archive) echo "-o --output= --truth --no-debug --symfs= --debug-dir= -q --quiet -h --help" ;;
	emulate)
		echo "-o --output= -L --sysroot= --limit= --fixed-addresses --qemu= --plugin= --qemu-option=" \
			"$_hwflow_unit --protocol= --dialect= --config= --framing= --traps= --blocks=" \
			"--show-log= -t --tid= --no-truth --syscalls -q --quiet --fail-on-loss --keep --recover= -h --help"
		;;
	encode)
		echo "-o --output= -t --tid= --image= --protocol= --dialect= --config= --framing= --p-headers= --quirk= --traps= --blocks= --privilege=" \
			"--instrumentation --print-config $_hwflow_unit -h --help"
		;;
	list) echo "--json --root= -h --help" ;;
	doctor) echo "--root= -h --help" ;;
	*) echo "--help --version" ;;
	esac
}

# The protocol that the line names, if it does
_hwflow_protocol() {
	local i

	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--protocol=*) echo "${COMP_WORDS[i]#*=}" ;;
		--protocol) [ "${COMP_WORDS[i + 1]}" != = ] || echo "${COMP_WORDS[i + 2]}" ;;
		esac
	done
}

# Registers and parameters of a protocol
_hwflow_config() { # VERB PROTOCOL
	case $1-$2 in
	*-etmv3) echo "ETMCR= ETMIDR= ETMCCER= ETMTRACEIDR= ARMV7M=" ;;
	*-riscv | emulate-)
		echo "iaddress_width_p= iaddress_lsb_p= context_width_p= nocontext_p=" \
			"privilege_width_p= ecause_width_p= notval_p= itype_width_p=" \
			"return_stack_size_p= call_counter_size_p= time_width= time_width_p=" \
			"bpred_size_p= cache_size_p= f0s_width_p= sijump_p= encoder_mode_width=" \
			"ioptions_width= doptions_width= full_address= implicit_return=" \
			"implicit_exception= branch_prediction= jump_target_cache= srcid_width=" \
			"type_width= time_bytes= zcm= rv32= tvec= resync= max_resync=" \
			"daddress_width_p= dtype_width_p= lrid_width_p= data_width_p= ddiff_width=" \
			"mmacas= irets= noaddr= nodata= full_daddress= full_data="
		;;
	*)
		echo "TRCCONFIGR= TRCIDR0= TRCIDR1= TRCIDR2= TRCIDR8= TRCDEVARCH= TRCTRACEIDR=" \
			"TRCAUTHSTATUS="
		;;
	esac
}

# Values of an option of a verb; nothing where any would do
_hwflow_values() { # VERB OPTION
	case $1$2 in
	dump--format) echo "human ref" ;;
	flow--format) echo "human ref pc" ;;
	timeline--for) echo "perfetto fxt chrome" ;;
	report--call-graph) echo "caller callee" ;;
	report--filter) echo "function: dso:" ;;
	annotate--measure) echo "time cycles" ;;
	calls--measure | report--measure | profile--measure) echo "time cycles instructions" ;;
	calls--sort) echo "total calls mean longest name" ;;
	report--by | top--by) echo "function dso line address thread process cgroup" ;;
	profile--by) echo "process thread" ;;
	profile--call-graph) echo "blocks" ;;
	profile--for) echo "json bolt profgen autofdo cs-autofdo gcc gcc16 order temporal propeller propeller-order pprof lcov drcov folded speedscope callgrind" ;;
	diff--by) echo "function dso" ;;
	*--gaps) echo "kinds all" ;;
	script--fields) echo "comm tid cpu time cyc insn ip sym symoff dso dsoff buildid srcline addr flags" ;;
	script--sort) echo "time thread" ;;
	report--sort | top--sort) echo "instructions calls taken not-taken name" ;;
	encode--quirk) echo "post-iss" ;;
	encode--p-headers) echo "packed cycle" ;;
	*--traps) echo "kernel direct" ;;
	*--commit-mode) echo "0 1" ;;
	*--revision) echo "0 1 2 3" ;;
	*--sync) echo "only-if-output resync-after-idle late" ;;
	emulate--protocol) echo "ete riscv" ;;
	*--protocol) echo "ete etmv4 etmv3 riscv" ;;
	*--dialect) echo "ratified 0.026 1.0 2.0" ;;
	*--framing) echo "none coresight reference encap siemens" ;;
	record--trigger) echo "syscall: signal: exit latency(" ;;
	*--config) _hwflow_config "$1" "$(_hwflow_protocol)" ;;
	esac
}

# What a value is that is no word: file, directory, or nothing we know
_hwflow_value_kind() { # OPTION
	case $1 in
	-o | --output | --image | --truth | --qemu | --plugin | --show-log) echo file ;;
	-L | --sysroot | --symfs | --debug-dir | --recover | --root) echo directory ;;
	*) echo other ;;
	esac
}

_hwflow_value() { # VERB OPTION WORD
	local values list=

	values=$(_hwflow_values "$1" "$2")
	if [ -n "$values" ]; then
		# a list: its last name
		[[ $1$2 != script--fields || $3 != *,* ]] || list=${3%,*},
		mapfile -t COMPREPLY < <(compgen -P "$list" -W "$values" -- "${3#"$list"}")
		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
		return
	fi
	case $(_hwflow_value_kind "$2") in
	file) mapfile -t COMPREPLY < <(compgen -f -- "$3") ;;
	directory) mapfile -t COMPREPLY < <(compgen -d -- "$3") ;;
	esac
	compopt -o filenames 2>/dev/null
}

# Is the program to emulate already on the line? What follows it is its own.
_hwflow_has_program() {
	local i

	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) return 0 ;;
		-o | -L | -t | =) i=$((i + 1)) ;;
		-*) ;;
		*) return 0 ;;
		esac
	done
	return 1
}

_hwflow() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local verb=${COMP_WORDS[1]}

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$_hwflow_verbs help --help --version" -- "$word")
		return
	fi
	if [ "$verb" = help ]; then
		mapfile -t COMPREPLY < <(compgen -W "$_hwflow_verbs format riscv truth" -- "$word")
		return
	fi
	if [ "$verb" = emulate ] && _hwflow_has_program; then
		_hwflow_value "$verb" -o "$word"
		return
	fi
	# '=' is a word of its own, unless COMP_WORDBREAKS was changed
	if [[ $word == --*=* ]]; then
		_hwflow_value "$verb" "${word%%=*}" "${word#*=}"
		COMPREPLY=("${COMPREPLY[@]/#/${word%%=*}=}")
	elif [ "$word" = = ]; then
		_hwflow_value "$verb" "$before" ""
	elif [ "$before" = = ]; then
		_hwflow_value "$verb" "${COMP_WORDS[COMP_CWORD - 2]}" "$word"
	elif [[ $verb$before == emulate-[oL] || $verb$before =~ ^(encode|archive)-o$ ]]; then
		_hwflow_value "$verb" "$before" "$word"
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_hwflow_options "$verb")" -- "$word")
		COMPREPLY=("${COMPREPLY[@]/%\[=/}")
		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
	else
		_hwflow_value "$verb" -o "$word"
	fi
}

complete -F _hwflow hwflow
