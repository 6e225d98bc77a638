import assert from 'node:assert/strict'
import { test } from 'node:test'
import { devicesCommand } from './devices.ts'
import { folderOf, runCommand } from './run-command.double.ts'
import { testOperatorCommand } from './test-operator.ts'

const invalid = (option: string, value: string, why: string) => `error: option '${option}' argument '${value}' is invalid. ${why}\n`
const REFUSED: readonly [words: readonly string[], err: string][] = [
  [['--patience', '0', './op'], invalid('--patience <seconds>', '0', 'seconds, more than 0')],
  [['--patience', 'long', './op'], invalid('--patience <seconds>', 'long', 'seconds, more than 0')],
  [['--patience', '3601', './op'], invalid('--patience <seconds>', '3601', 'seconds, more than 0')],
  [['--quiet', '-1', './op'], invalid('--quiet <seconds>', '-1', 'seconds, more than 0')],
  [['--kill-points', '1.5', './op'], invalid('--kill-points <n>', '1.5', 'a whole number, at most 1000')],
  [['--kill-points', '1001', './op'], invalid('--kill-points <n>', '1001', 'a whole number, at most 1000')],
  [['--webhook-port', '0', './op'], invalid('--webhook-port <port>', '0', 'a port')],
  [['--webhook-port', '65536', './op'], invalid('--webhook-port <port>', '65536', 'a port')],
  [['--only', '(', './op'], invalid('--only <pattern>', '(', 'no regular expression')],
  [[], "error: missing required argument 'command'\n"],
]
for (const [words, err] of REFUSED)
  test(`test-operator ${words.join(' ')} is refused`, async () =>
    assert.deepEqual(await runCommand(testOperatorCommand(), ...words), { code: 1, out: '', err }))

for (const option of ['--install', '--sample', '--role'])
  test(`${option} with a file that holds no object is refused, and nothing is started`, async (t) => {
    const at = folderOf(t, { 'list.yaml': 'metadata: { name: x }\n' })
    const run = await runCommand(testOperatorCommand(), option, at('list.yaml'), './operator')
    assert.deepEqual(run, { code: 2, out: '', err: `bowsprit test-operator: ${at('list.yaml')}: an object without apiVersion and kind\n` })
  })

test('a file that is not there is named', async () => {
  const { code, err } = await runCommand(testOperatorCommand(), '--sample', '/nonexistent/s.yaml', './operator')
  assert.equal(code, 2)
  assert.match(err, /^bowsprit test-operator: ENOENT: .*\/nonexistent\/s\.yaml/)
})

test('options behind the operator are the operator’s', async () => {
  const { err } = await runCommand(testOperatorCommand(), '--install', '/nonexistent/i.yaml', './operator', '--patience', '0')
  assert.match(err, /\/nonexistent\/i\.yaml/)
})

test('devices test needs the command of a plugin', async () => {
  const { code, err } = await runCommand(devicesCommand(), 'test')
  assert.deepEqual([code, err], [1, "error: missing required argument 'command'\n"])
})
