#!/bin/sh
# sort -u and join treat different words of a script as one word [glibc 2.36, coreutils 9.1]
#
# Expected: `sort -u` drops equal lines only. Since glibc 2.28 collation follows ISO 14651, and
# letters that once had no weight (ɛ, ə, hiragana marks) are told apart.
# Seen: in each UTF-8 locale but C.UTF-8, letters that Unicode added after ISO 14651:2016 have no
# weight at all. strcoll() calls any two words of them of the same length equal, so `sort -u`
# keeps one word and deletes the others; `join` and `comm` find words that are not there. It happens
# for Hanifi Rohingya, Wancho, Toto, Mtavruli (Georgian capitals), Gunjala Gondi, Medefaidrin,
# Dogra and others; Adlam and Osage are older and right. `sort -u` says nothing.
# Valid input: UTF-8 text; the letters came with Unicode 11.0 (2018) to 14.0 (2021), all known to
# this glibc's character classes. POSIX.1-2024, XBD 7.3.2, wants a total order of all characters.
# Why it matters: `sort -u` is the usual step to make word lists and to drop repeated lines.
# Instead: `LC_ALL=C sort -u` (bytes; for UTF-8 it is the order of code points), also for join and
# comm. `sort | uniq` is right: uniq compares bytes.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
localedef -i en_US -f UTF-8 ./en_US.UTF-8
export LOCPATH="$dir"

printf '%s\n' 𐴀𐴞𐴕 𐴁𐴟𐴌 𐴃𐴡𐴓 𐴄𐴝𐴔 >rohingya
printf '%s\n' 𞋀𞋁 𞋂𞋃 𞋄𞋅 𞋆𞋇 >wancho
printf '%s\n' 𞊐𞊪 𞊑𞊫 𞊒𞊬 𞊓𞊭 >toto
printf '%s\n' ᲙᲐᲪᲘ ᲫᲝᲠᲘ ᲬᲘᲒᲘ ᲮᲛᲐᲘ >mtavruli
printf '%s\n' კაცი ძორი წიგი ხმაი >georgian
printf '%s\n' 𞤣𞤵𞤲 𞤶𞤢𞤥 𞤸𞤭𞤪 𞤲𞤢𞥄 >adlam

seen=
for list in rohingya wancho toto mtavruli georgian adlam; do
	in_locale=$(LC_ALL=en_US.UTF-8 sort -u $list | wc -l)
	in_c=$(LC_ALL=C sort -u $list | wc -l)
	seen="$seen $list:$in_locale/$in_c"
done
# Two lists without a common word: join and comm -12 should print nothing.
echo 𐴀𐴞𐴕 >left
echo 𐴁𐴟𐴌 >right
joined=$(LC_ALL=en_US.UTF-8 join left right | wc -l)
common=$(LC_ALL=en_US.UTF-8 comm -12 left right | wc -l)
seen="$seen joined:$joined common:$common"

expected=' rohingya:1/4 wancho:1/4 toto:1/4 mtavruli:1/4 georgian:4/4 adlam:4/4 joined:1 common:1'
version="$(getconf GNU_LIBC_VERSION | cut -d" " -f2)/$(sort --version | sed -n '1s/.*) //p')"
if [ "$seen" = "$expected" ]; then
	echo "glibc/coreutils $version: sort -u keeps 1 of 4 Rohingya, Wancho, Toto and Mtavruli words"
else
	echo "glibc/coreutils $version: seen instead (en_US/C):$seen"
	exit 1
fi
