/**
 * The shell and its commands do work in proportion to the length of what they are given, in turns of the event loop that are not long. Work
 * is counted, not timed: an algorithm that looks at each pair of lines, words or characters fails on any machine. Counting slows the whole
 * process, so that it is one of its own.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { COMMANDS } from '../../src/shell/commands/commands.ts'
import { createContainer } from '../../src/shell/processes/process.double.ts'
import { type Work, workOf } from './work-meter.ts'

type Content = (n: number) => string
const lines =
  (of: (i: number) => string): Content =>
  (n) =>
    Array.from({ length: n }, (_, i) => `${of(i)}\n`).join('')
const line =
  (of: (i: number) => string): Content =>
  (n) =>
    `${Array.from({ length: n }, (_, i) => of(i)).join('')}\n`
/** A part of the length: for what costs much at each place, and what has a bound. */
const partOf =
  (share: number, of: Content): Content =>
  (n) =>
    of(Math.floor(n / share))

const mixed = lines((i) => `${(i * 7919) % 1009} w${i % 7}`)
const letters = line(() => 'a')
const words = line((i) => `w${i} `)
const count: Content = (n) => String(n)

/** A script, and what the file `f` has at a length. */
const ROWS: readonly (readonly [script: string, content: Content])[] = [
  ['sort f', mixed],
  ['sort f', letters],
  ['sort -t" " -k2,2n -k1r f', mixed],
  ['sort -u f', mixed],
  ['sort -V f', mixed],
  ['uniq -c f', mixed],
  ['tac f', mixed],
  ['rev f', letters],
  ['printf "%s-%d\\n" $(cat f)', words],
  ['printf "%8s" $(cat f)', words],
  ['printf "%b" "$(cat f)"', line(() => '\\n')],
  ['printf "$(cat f)" 1 2', line(() => '%s')],
  ["awk '{n += NF; s = s $1} END {print n, length(s)}' f", mixed],
  ['awk \'{gsub(/a/, "bb"); print}\' f', letters],
  ['awk \'{print split($0, a, "w")}\' f', words],
  ['awk \'{for (i = 1; i <= length($0); i++) if (substr($0, i, 1) == "b") n++; print n}\' f', partOf(4, letters)],
  ['awk \'{for (i = 1; i <= NF; i++) $i = "x"; print}\' f', partOf(4, words)],
  ["awk '{seen[$1]++} END {for (k in seen) n += seen[k]; print n}' f", mixed],
  ['awk \'{printf "%s %d\\n", $2, $1}\' f', partOf(4, mixed)],
  ['awk \'{print toupper($0), index($0, "b")}\' f', letters],
  ["grep -c 'a*b' f", mixed],
  ['grep -o a f', letters],
  ['grep -F -e w1 -e w2 f', mixed],
  ['grep -ci W3 f', mixed],
  ['grep -n -A1 -B2 w3 f', mixed],
  ["grep -cE 'a*b|a' f", letters],
  ['grep -ow a f', letters],
  ['grep $(cat f) x f', line(() => '-e x ')],
  ['test $(cat f) 1 = 1', line(() => '1 = 1 -a ')],
  ['test $(cat f) 1 = 1', line(() => '1 = 1 -o ')],
  ['test $(cat f) x', line(() => '! ')],
  ['[[ "$(cat f)" == *b ]]', letters],
  ['[[ "$(cat f)" =~ a*b ]]', letters],
  ['set -- $(cat f); echo $#', words],
  ['x=$(cat f); IFS=a; set -- $x; echo $#', letters],
  ['set -- $(cat f); x="$*"; echo ${#x}', words],
  ['for i in $(cat f); do :; done', words],
  ['x=$(cat f); y=${x#*b}; z=${x##*a}; echo ${#y}${#z}', letters],
  ['x=$(cat f); y=${x%b*}; z=${x%%a*}; echo ${#y}${#z}', letters],
  ['x=$(cat f); y=${x//b/c}; z=${x//a/cc}; echo ${#y}${#z}', letters],
  ['x=$(cat f); y=${x//a*b/c}; echo ${#y}', letters],
  ['x=$(cat f); echo ${x:3:5} ${x^^}', letters],
  ['case $(cat f) in *b*b*) ;; *a) echo y;; esac', letters],
  ['mkdir d; cd d; touch $(cat ../f); echo *; echo *1*2*; ls -l; find . -name "w1*"', partOf(8, words)],
  ['true $(cat f)', partOf(2, words)],
  ['eval "$(cat f)"', (n) => `cat <<E\n${'$HOME x\n'.repeat(n)}E\n`],
  ['wc -c <<E\n$(cat f)\nE\n', letters],
  ['echo $(( $(cat f) 0 ))', line(() => '1+')],
  ['echo $(( $(cat f) ))', line(() => '1')],
  ['i=0; while [ $i -lt $(cat f) ]; do i=$((i+1)); done', partOf(16, count)],
  ['i=0; while [ $i -lt $(cat f) ]; do a[$i]=x; i=$((i+1)); done; echo ${#a[@]}', partOf(16, count)],
  ['while read -r a b; do :; done < f', partOf(4, mixed)],
  ['read -r x < f; echo ${#x}', letters],
  ['read a b < f; echo ${#b}', words],
  ['read x < f; echo ${#x}', line(() => '\\a')],
  ['read -r -a x < f; echo ${#x[@]}', words],
  ['tr a-z b-za < f', letters],
  ['tr -d b < f', letters],
  ['tr -s a < f', letters],
  [
    'tr "$(cat f)" b < f',
    partOf(
      4,
      line((i) => String.fromCodePoint(0x4e00 + i)),
    ),
  ],
  ["tr -cs '[:alnum:]' '\\n' < f", words],
  ["sed 's/a/bb/g' f", letters],
  ["sed 's/a*b/c/g' f", letters],
  ["sed -n '/w3/,/w5/p' f", mixed],
  ["sed -E 's/(a)(a)/\\2\\1/g' f", letters],
  [
    'sed "$(cat f)" /dev/null',
    partOf(
      4,
      lines(() => 's/x/y/'),
    ),
  ],
  ['cut -d" " -f2 f', mixed],
  ['cut -dw -f3,7,9- f', words],
  ['cut -c3-5,8- f', letters],
  ['echo x | cut -c "$(cat f)1"', line((i) => `${i + 1},`)],
  ['wc f', mixed],
  ['head -n 1000000 f', mixed],
  ['tail -n 5 f; tail -c 7 f', mixed],
  ['fold -w 7 f', letters],
  ['nl f', mixed],
  ['xargs echo < f', words],
  ['xargs -I{} echo {} < f', partOf(16, mixed)],
  ['base64 f | base64 -d', letters],
  ['od -c f', letters],
  ['cmp f f', letters],
  ['seq $(cat f)', count],
  ['echo -e "$(cat f)"', line(() => '\\n')],
  [
    'eval "$(cat f)"',
    partOf(
      4,
      lines((i) => `f${i}() { :; }`),
    ),
  ],
  [
    'eval "$(cat f)"; set',
    partOf(
      4,
      lines((i) => `export v${i}=x`),
    ),
  ],
  ['a=($(cat f)); for i in 1 2 3; do a[$i]=x; done; echo ${#a[@]} "${a[*]}"', words],
  ['for i in $(cat f); do (:); x=$(echo $i); done', partOf(32, words)],
  [
    'set -- $(cat f); while getopts ab o; do :; done; echo $OPTIND',
    partOf(
      16,
      line(() => '-a '),
    ),
  ],
  ['expr "$(cat f)" : ".*b"', letters],
]

const workOfScript = (script: string, f: string): Promise<Work> =>
  workOf(
    () =>
      createContainer({ clock: systemClock, programs: Object.fromEntries(COMMANDS), files: { '/f': f } }).run(['sh', '-c', script]).done,
  )

const LENGTH = 500
const FACTOR = 8
/** What a unit of length may cost more at the larger length: a logarithm, and buffers that become full. */
const MOST_GROWTH = 1.5

for (const [script, content] of ROWS)
  test(`works in proportion to the length: ${script}`, async () => {
    const [short, long] = [await workOfScript(script, content(LENGTH)), await workOfScript(script, content(LENGTH * FACTOR))]
    assert.ok(long.total < short.total * FACTOR * MOST_GROWTH, `${short.total} for ${LENGTH}, ${long.total} for ${LENGTH * FACTOR}`)
  })

const LONG = 32_000
/** Some 25 ms, where nothing is counted. */
const LONGEST_TURN = 1_000_000

for (const [script, content] of [
  ['sort f', mixed],
  ['sort -t" " -k2,2n -k1r f', mixed],
  ['sort -V f', mixed],
  ['sort -u f', mixed],
  ['uniq -c f', mixed],
  ['tac f', mixed],
  ["awk '{n += length($0)} END {print n}' f", mixed],
  ["grep -c 'a*b' f", mixed],
  ['grep -o a f', letters],
  ["sed 's/a/bb/g' f", letters],
  ['tr -s a < f', letters],
  ['cut -d" " -f2 f', mixed],
  ['x=$(cat f); y=${x//a/cc}; echo ${#y}', letters],
  ['printf "%8s" $(cat f)', partOf(8, words)],
] as const)
  test(`works in short turns: ${script}`, async () => {
    const { longestTurn } = await workOfScript(script, content(LONG))
    assert.ok(longestTurn < LONGEST_TURN, `${longestTurn} in one turn`)
  })
