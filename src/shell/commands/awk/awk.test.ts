import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../base/clock.ts'
import { createContainer } from '../../processes/process.double.ts'
import { COMMANDS } from '../commands.ts'

async function run(...argv: string[]) {
  const { done, out, err } = createContainer({ clock: systemClock, programs: Object.fromEntries(COMMANDS), files: {} }).run(argv)
  return { status: await done, out: out(), err: err() }
}

for (const grow of ['x = x x', 'gsub(/a+/, "&&", x)', 'x = sprintf("%s%s", x, x)'])
  test(`a text that doubles itself without end (${grow}) ends the program, not the process`, async () => {
    const { status, err } = await run('awk', `BEGIN {x = "a"; while (1) {${grow}}}`)
    assert.notEqual(status, 0)
    assert.match(err, /a text is too long/)
  })

test('positions and lengths are in characters, whatever their script', async () => {
  const program = 'BEGIN {t = "a😀b"; print length(t), index(t, "b"), match(t, /b/), RSTART, substr(t, 3, 1), match(t, /./), RLENGTH}'
  assert.equal((await run('awk', program)).out, '3 3 3 3 b 1 1\n')
})

test('an invalid target of a substitution is an error', async () => {
  const { status, err } = await run('awk', 'BEGIN {sub(/a/, "b", 3)}')
  assert.notEqual(status, 0)
  assert.match(err, /a variable, a field or an element is expected/)
})
