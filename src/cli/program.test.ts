import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { createProgram } from './program.ts'
import { runCommand } from './run-command.double.ts'
import { versionText } from './version-text.ts'

const NAMES = [
  'up',
  'list',
  'status',
  'stop',
  'delete',
  'node',
  'doctor',
  'page',
  'why',
  'tree',
  'trace',
  'explain',
  'create',
  'test-operator',
  'check',
  'generate',
  'devices',
  'assets',
  'apiserver',
  'scheduler',
  'controllers',
  'csi',
  'certificates',
  'export',
  'import',
  'migrate-tpr',
  'completion',
  'version',
]

for (const name of NAMES)
  test(`bowsprit ${name} loads that command alone, and describes it`, async () => {
    const { commands } = await createProgram(name)
    assert.deepEqual(
      commands.map((c) => c.name()),
      [name],
    )
    assert.notEqual(commands[0]?.description(), '')
  })

for (const word of [undefined, '--help', 'constructor', 'down'])
  test(`with ${word} every command is there`, async () => {
    const { commands } = await createProgram(word)
    assert.deepEqual(
      commands.map((c) => c.name()),
      NAMES,
    )
  })

test('an unknown command is named, with the way to the help', async () => {
  const { code, err } = await runCommand(await createProgram('down'), 'down')
  assert.equal(code, 2)
  assert.equal(err, "bowsprit: unknown command 'down' (see bowsprit --help)\n")
})

for (const flag of ['--version', '-V'])
  test(`${flag} prints what \`bowsprit version\` does`, async () => {
    const { code, out } = await runCommand(await createProgram(flag), flag)
    assert.deepEqual([code, out], [0, `${versionText()}\n`])
  })

test('every option of every command has a description', async () => {
  const program = await createProgram(undefined)
  const all = program.commands.flatMap((c) => [c, ...c.commands])
  const silent = all.flatMap((c) => c.options.filter((o) => o.description === '').map((o) => `${c.name()} ${o.flags}`))
  assert.deepEqual(silent, [])
})

const helps = (command: Command): readonly string[] => [command.helpInformation(), ...command.commands.flatMap(helps)]

test('every help fits on 80 columns, but for a path that is longer', async () => {
  for (const text of helps(await createProgram(undefined)))
    for (const line of text.split('\n')) assert.ok(line.length <= 80 || !line.trim().includes(' '), line)
})

test('every command and every option of `up` has a place in a group', async () => {
  for (const text of [(await createProgram(undefined)).helpInformation(), (await createProgram('up')).commands[0]?.helpInformation() ?? ''])
    assert.doesNotMatch(text, /^Commands:|^Options:\n {2}--/m)
})

test('the help says what exit codes mean', async () => {
  const { out } = await runCommand(await createProgram('--help'), '--help')
  assert.match(out, /^Exit codes: 0 success, 1 failure, 2 a mistake/m)
})
