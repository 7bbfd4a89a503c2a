# SPDX-License-Identifier: GPL-2.0-only
#
# Programs of Debian's source packages that are traced. To be sourced; wants setup (tools/setup).

# program_sources NAME DIR: sets sources to the files of bzip2, minigzip or lua, with the options they
# want beside -I DIR; false where they cannot be had
program_sources() {
	local name=$1 dir=$2 source package

	case $name in
	bzip2) package=bzip2 ;;
	minigzip) package=zlib ;;
	lua) package=lua5.4 ;;
	esac
	source=$("$setup/fetch-source" $package) || return
	case $name in
	bzip2)
		sources=("$source"/{blocksort,huffman,crctable,randtable,compress,decompress,bzlib,bzip2}.c)
		;;
	minigzip)
		sources=(-DHAVE_UNISTD_H "-I$source" "$source"/test/minigzip.c
			"$source"/{adler32,crc32,deflate,inffast,inflate,inftrees,trees,zutil}.c
			"$source"/{gzclose,gzlib,gzread,gzwrite}.c)
		;;
	lua)
		# what Debian's build makes
		echo '#define DEB_HOST_MULTIARCH "riscv64-linux-gnu"' >"$dir/lua5.4-deb-multiarch.h"
		sources=("$source"/src/*.c)
		sources=("${sources[@]/%*luac.c/-lm}")
		;;
	esac
}
