import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../base/clock.ts'
import { runScript } from './commands/command-table.double.ts'
import { COMMANDS } from './commands/commands.ts'
import { createContainer } from './processes/process.double.ts'

/** A text of so many characters in `$x`. */
const long = (count: number) => `x=a; while [ \${#x} -lt ${count} ]; do x=$x$x; done`

const BOUNDS: readonly (readonly [what: string, script: string, complaint: RegExp])[] = [
  ['a word that doubles', 'x=a; while :; do x=$x$x; done', /out of space/],
  ['a replacement for each letter', `${long(1 << 17)}; echo \${x//a/$x}`, /out of space/],
  ['variables that are many', `${long(4 << 20)}; i=0; while :; do i=$((i+1)); eval "v$i=\\$x"; done`, /out of space/],
  ['words of one command', `${long(1 << 17)}; IFS=a; set -- $x`, /argument list too long/],
  ['words of several expansions', 'x=$(seq 60000); set -- $x $x', /argument list too long/],
  ['braces: those that make too many words stay', 'set -- {1..9999}{1..9999}; echo $# >&2', /^9999\n$/],
  ['an argument of a program', `${long(128 << 10)}; env true "$x"`, /Argument list too long/],
  ['all arguments of a program', `${long(64 << 10)}; env true ${'"$x" '.repeat(40)}`, /Argument list too long/],
  ['the environment of a program', `${long(128 << 10)}; export x; env true`, /Argument list too long/],
  ['what a substitution prints', 'x=$(head -c 2000000 /dev/zero)', /too much to hold/],
  ['a line', 'head -c 5000000 /dev/zero | grep x', /a line is too long/],
  ['a line that a script reads', 'head -c 5000000 /dev/zero | read x', /a line is too long/],
  ['an expression and its line', "head -c 65536 /dev/zero | tr '\\0' a | grep -oE '(a?){900}b|a'", /the regular expression is too large/],
  ['a line that grows in awk', 'awk \'BEGIN{s="a"; while(1) s=s s}\'', /a text is too long/],
  ['elements in awk', `awk 'BEGIN{s="a"; while(length(s)<2000000) s=s s; split(s, a, "")}'`, /too many elements/],
  ['functions in functions', 'f() { f; }; f', /too deep/],
  ['shells in shells', 'f() { (f); }; f', /too many shells|too deep/],
  ['elements of an array', 'a[100001]=x', /bad array subscript/],
]
for (const [what, script, complaint] of BOUNDS)
  test(`has a bound: ${what}`, async () => {
    const { err } = await runScript(script)
    assert.match(err, complaint)
  })

const ENDLESS: readonly string[] = [
  'while :; do :; done',
  'seq 1 999999999 > /dev/null',
  'cat /dev/zero > /dev/null',
  'yes | cat > /dev/null',
  'sha256sum /dev/zero',
  'seq 1 999999999 | wc -l',
  "awk 'BEGIN{for(;;)i++}'",
  'f() { f & }; while :; do f; done',
  'until false; do echo x; done > /dev/null',
]
for (const script of ENDLESS)
  test(`lets the event loop turn, and ends when it is killed: ${script}`, async () => {
    const killer = new AbortController()
    const { done } = createContainer({ clock: systemClock, programs: Object.fromEntries(COMMANDS) }).run(['sh', '-c', script], {
      signal: killer.signal,
    })
    const ended = assert.rejects(done, /killed by the test/)
    // A timer of the machine's comes only when the event loop turns.
    await new Promise((resolve) => setTimeout(resolve, 1))
    killer.abort(new Error('killed by the test'))
    await ended
  })

test('commands that hold all lines hold more than a call has arguments', async () => {
  const { out, err } = await runScript('seq 130000 > f; tac f | head -n 1')
  assert.deepEqual({ out, err }, { out: '130000\n', err: '' })
})
