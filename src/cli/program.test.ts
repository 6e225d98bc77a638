import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgram } from './program.ts'
import { runCommand } from './run-command.double.ts'
import { versionText } from './version-text.ts'

const NAMES = [
  'up',
  'list',
  'status',
  'stop',
  'delete',
  'doctor',
  'completion',
  'apiserver',
  'certificates',
  'assets',
  'scheduler',
  'controllers',
  'node',
  'csi',
  'devices',
  'page',
  'trace',
  'tree',
  'why',
  'explain',
  'check',
  'generate',
  'create',
  'test-operator',
  'export',
  'import',
  'migrate-tpr',
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
