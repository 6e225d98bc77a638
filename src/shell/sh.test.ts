import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { systemClock, VirtualClock } from '../base/clock.ts'
import { resolvePath } from './paths.ts'
import { createContainer } from './processes/process.double.ts'
import type { Program } from './processes/process.ts'
import { sh } from './sh.ts'
import { lines, writeText } from './texts.ts'
import { compilePattern } from './words/pattern.ts'

const cat: Program = async ({ argv, stdin, stdout, files, directory }) => {
  for (const file of argv.slice(1)) await stdout.write(await files.read(resolvePath(directory, file)))
  if (argv.length === 1) for await (const line of lines(stdin)) await writeText(stdout, `${line}\n`)
  return 0
}
const sleep: Program = async ({ argv, clock, signal }) => {
  await clock.sleep(Number(argv[1]) * 1000, signal)
  return 0
}
const env: Program = async ({ environment, stdout }) => {
  for (const [name, value] of Object.entries(environment)) await writeText(stdout, `${name}=${value}\n`)
  return 0
}
const yes: Program = async ({ stdout }) => {
  for (;;) await writeText(stdout, 'y\n'.repeat(2000))
}
const head: Program = async ({ stdin, stdout }) => {
  for await (const line of lines(stdin)) {
    await writeText(stdout, `${line}\n`)
    return 0
  }
  return 0
}
const PROGRAMS = { sh, cat, sleep, env, yes, head }

function container(files: Record<string, string> = {}) {
  const clock = new VirtualClock()
  return { clock, ...createContainer({ clock, programs: PROGRAMS, files }) }
}

async function run(
  text: string,
  options: { files?: Record<string, string>; stdin?: string; environment?: Record<string, string>; args?: string[] } = {},
) {
  const { done, out, err } = createContainer({ clock: systemClock, programs: PROGRAMS, files: options.files ?? {} }).run(
    ['sh', '-c', text, 'sh', ...(options.args ?? [])],
    options,
  )
  const status = await done
  return { status, out: out(), err: err() }
}

/** What a script prints, and its status when it is not 0; the machine's own shell says the same of each. */
const SAME: readonly (readonly [script: string, out: string, status?: number])[] = [
  ['echo hello   world', 'hello world\n'],
  ['exit 3', '', 3],
  ['false; echo $?', '1\n'],
  ['true && echo yes || echo no; false && echo yes || echo no', 'yes\nno\n'],
  ['! true; echo $?', '1\n'],
  ['X="a  b"; echo $X; echo "$X"; for i in $X; do echo "<$i>"; done', 'a b\na  b\n<a>\n<b>\n'],
  ['echo \'single $X\' "d\\"q" a\\ b', 'single $X d"q a b\n'],
  ['echo ${X:-default} ${X-d} "${X:+set}" ; X=1; echo ${X:-default} ${X:+set} ${#X}', 'default d \n1 set 1\n'],
  ['F=/a/b/c.tar.gz; echo ${F##*/} ${F%/*} ${F%%.*} ${F#*/}', 'c.tar.gz /a/b /a/b/c a/b/c.tar.gz\n'],
  ['echo $((1 + 2 * 3)) $(( (1+2)*3 )) $((7/2)) $((7%3)) $((1<<4)) $((5>3)) $((-7/2))', '7 9 3 1 16 1 -3\n'],
  ['i=0; while [ $i -lt 3 ]; do i=$((i+1)); [ $i = 2 ] && continue; echo $i; done', '1\n3\n'],
  ['for i in 1 2 3; do for j in a b; do [ $i$j = 2a ] && break 2; echo $i$j; done; done', '1a\n1b\n'],
  ['until false; do echo once; break; done', 'once\n'],
  ['case abc in a*c) echo fits;; *) echo no;; esac; case "*" in \\*) echo star;; esac', 'fits\nstar\n'],
  ['f() { echo "$1-$#"; return 4; }; f x y; echo $?', 'x-2\n4\n'],
  ['f() { local a=in; echo $a; }; a=out; f; echo $a', 'in\nout\n'],
  ['echo $(echo a; echo b) `echo c`', 'a b c\n'],
  ['set -- a "b c"; for x in "$@"; do echo "[$x]"; done; echo "$*" $#; shift; echo $1', '[a]\n[b c]\na b c 2\nb c\n'],
  ['set --; for x in "$@"; do echo never; done; echo "n:$*"', 'n:\n'],
  ['(X=inner; exit 5); echo "$? $X"', '5 \n'],
  ['{ echo a; echo b; } | while read x; do echo "<$x>"; done', '<a>\n<b>\n'],
  ['echo out; echo err >&2; { echo gone; } >/dev/null 2>&1', 'out\n'],
  ['X=1 sh -c \'echo $X\'; echo "<$X>"', '1\n<>\n'],
  ['export A=1; B=2; sh -c \'echo "$A$B"\'', '1\n'],
  ['cat <<EOF\nhi $((1+1)) `echo there`\nEOF\ncat <<"EOF"\n$raw\nEOF', 'hi 2 there\n$raw\n'],
  ['set -e; false || echo guarded; if false; then :; fi; false; echo never', 'guarded\n', 1],
  ['trap "echo bye" EXIT; echo hi; exit 2', 'hi\nbye\n', 2],
  ["trap 'echo got' USR1; kill -USR1 $$; echo after", 'got\nafter\n'],
  ['(exit 7) & wait $!; echo $?', '7\n'],
  ['printf "%s-%03d|%5s|%-5s|%x\\n" a 7 b c 255; printf "%s\\n" 1 2', 'a-007|    b|c    |ff\n1\n2\n'],
  ['eval "X=5; echo \\$X"', '5\n'],
  ['test -z "" && test -n x && [ 3 -gt 2 -a a != b ] && echo ok; [ ! -e /nowhere ] && echo none', 'ok\nnone\n'],
  ['IFS=:; X=a:b::c; for i in $X; do echo "<$i>"; done', '<a>\n<b>\n<>\n<c>\n'],
  ['echo "a b c" | { read x y; echo "$y $x"; }', 'b c a\n'],
  ['X=\'*\'; echo "$X"; case a in $X) echo any;; esac', '*\nany\n'],
  ['unset X; echo ${X=new} $X', 'new new\n'],
  ['while getopts ab: o -a -b val; do echo "$o $OPTARG"; done', 'a \nb val\n'],
  ['if [ a = b ]; then echo 1; elif [ a = a ]; then echo 2; else echo 3; fi', '2\n'],
  ['exec 3>&1; echo three >&3; exec >/dev/null; echo gone; echo back >&3', 'three\nback\n'],
  ['readonly R=1; echo $R; command -v nosuchthing || echo none', '1\nnone\n'],
  ['nosuchthing 2>/dev/null; echo $?', '127\n'],
  ['yes 2>/dev/null | head -n1', 'y\n'],
]

for (const [script, out, status = 0] of SAME)
  test(`sh: ${script}`, async () => {
    assert.deepEqual(await run(script).then(({ out, status }) => ({ out, status })), { out, status })
    const own = spawnSync('sh', ['-c', script], { encoding: 'utf8', env: { PATH: process.env.PATH } })
    assert.deepEqual({ out: own.stdout, status: own.status }, { out, status }, "the machine's own shell")
  })

test('files are read, written, appended to and found by patterns', async () => {
  const files = { '/data/a.txt': 'A\n', '/data/b.txt': 'B\n', '/data/.hidden': '' }
  const { out } = await run(
    'cd /data; echo *.txt "*.txt" no*; cat <b.txt; echo more >>b.txt; cat b.txt; echo new >c; [ -s c ] && [ -f c ] && [ -d /data ] && echo there',
    { files },
  )
  assert.equal(out, 'a.txt b.txt *.txt no*\nB\nB\nmore\nthere\n')
})

test('a script of a config map runs by its path, with its arguments', async () => {
  const files = { '/scripts/run.sh': '#!/bin/sh\necho "$0 $1"\nexit 9\n', '/scripts/plain': 'echo' }
  assert.deepEqual(await run('/scripts/run.sh x; echo $?; /scripts/plain 2>/dev/null; echo $?', { files }), {
    status: 0,
    out: '/scripts/run.sh x\n9\n126\n',
    err: '',
  })
})

test('TERM with a trap runs it when the command before is done, and what waits is interrupted', async () => {
  const { run: start, clock, table } = container()
  const { done, out } = start(['sh', '-c', 'trap "echo stopping; exit 0" TERM; echo up; while true; do sleep 1000 & wait $!; done'])
  await clock.advance(10_000)
  assert.equal(out(), 'up\n')
  assert.ok(table.send(1, 'TERM'))
  await clock.advance(1)
  assert.equal(await done, 0)
  assert.equal(out(), 'up\nstopping\n')
})

test('a signal without a trap kills the shell and what it waits for', async () => {
  const { run: start, clock, table } = container()
  const { done } = start(['sh', '-c', 'sleep 1000; echo never'])
  await clock.advance(1)
  table.send(1, 'TERM')
  assert.equal(await done, 143)
})

test('an endless loop gives turns, and ends when it is killed', async () => {
  const { run: start, clock, table } = container()
  const { done } = start(['sh', '-c', 'while :; do :; done'])
  await clock.advance(100)
  table.send(1, 'KILL')
  await clock.advance(10)
  assert.equal(await done, 137)
})

test('a substitution, shells in shells and functions in functions have an end', async () => {
  assert.notEqual((await run('f() { f; }; f')).status, 0)
  assert.match((await run('X=$(yes); echo never')).err, /too much to hold/)
})

/** What bash has beyond POSIX; the machine's own bash says the same. */
const BASH: readonly (readonly [script: string, out: string])[] = [
  ['items=(foo bar "b z"); i=1; echo ${items[$i]} ${items[i+1]} ${items[-1]} ${#items[@]} $items', 'bar b z b z 3 foo\n'],
  ['a=(x); a+=(y z); a[4]=w; for e in "${a[@]}"; do echo "<$e>"; done; echo "${a[*]}" ${!a[@]}', '<x>\n<y>\n<z>\n<w>\nx y z w 0 1 2 4\n'],
  [
    'a=(1 2 3 4); echo ${a[@]:1:2}; echo ${a[@]/3/x}; [[ abc123 =~ ^[a-z]+[0-9]+$ ]] && echo fits; [[ abc =~ ^b ]] || echo not',
    '2 3\n1 2 x 4\nfits\nnot\n',
  ],
  [
    'a=(g); f() { local b=1 a=("-p" "x y") c; a+=("$1"); printf "<%s>" "${a[@]}"; echo "$b-$c"; }; f 1; echo ${a[@]} ${#a[@]} "[$b]"',
    '<-p><x y><1>1-\ng 1 []\n',
  ],
  [
    'f() { local -r a=1; local -a l=(1 2); declare -i n=3; declare -g o=out; typeset t=t; echo $a ${l[1]} $n $t; }; f; echo "[$a$n]" $o; declare -a m=(1 2 3); echo ${#m[@]}',
    '1 2 3 t\n[] out\n3\n',
  ],
  ['export a=(1 2); readonly b=5; declare -x c=7; echo ${a[1]} $b; sh -c \'echo "[$a]$c"\'', '2 5\n[]7\n'],
  ['f() { :; }; declare -F f >/dev/null && echo there; declare -F g >/dev/null || echo not; x=1; declare x; echo $x', 'there\nnot\n1\n'],
]
for (const [script, out] of BASH)
  test(`bash: ${script}`, async () => {
    assert.equal((await run(script)).out, out)
    const own = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
    if (own.error === undefined) assert.equal(own.stdout, out, "the machine's own")
  })

test('a sourced file has the words behind it, unless it sets its own, as in bash', async () => {
  const files = { '/f': 'echo $1 $#', '/s': 'set -- q' }
  assert.equal((await run('set -- a b; . /f x y z; echo $1 $#; . /f; . /s x y; echo $1 $#', { files })).out, 'x 3\na 2\na 2\nq 1\n')
})

test('set -u and unknown syntax say so', async () => {
  const unset = await run('set -u; echo $NOPE; echo never')
  assert.deepEqual([unset.status, unset.out, unset.err], [2, '', 'sh: NOPE: parameter not set\n'])
  assert.match((await run('if true; then')).err, /^sh: syntax error: /)
  assert.match((await run('declare -A a')).err, /-A: arrays whose places have names/)
})

test('a pattern matches as a regular expression of the same meaning does', () => {
  const piece = fc.constantFrom('a', 'b', '*', '?', '[ab]', '[!a]')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.stringMatching(/^[abc]{0,8}$/), (pieces, text) => {
      const meaning: Record<string, string> = { '*': '.*', '?': '.', '[!a]': '[^a]' }
      const expression = new RegExp(`^${pieces.map((p) => meaning[p] ?? p).join('')}$`, 's')
      assert.equal(compilePattern([{ text: pieces.join(''), quoted: false }]).matches(text), expression.test(text))
    }),
  )
})

test('whatever is quoted comes out as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ maxLength: 12 }), { maxLength: 4 }), async (words) => {
      const clean = words.map((w) => w.replaceAll('\0', ''))
      const script = `printf '%s|' ${clean.map((w) => `'${w.replaceAll("'", "'\\''")}'`).join(' ')}`
      const { out } = await run(clean.length === 0 ? 'true' : script)
      assert.equal(out, clean.map((w) => `${w}|`).join(''))
    }),
    { numRuns: 50 },
  )
})
