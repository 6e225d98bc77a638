import assert from 'node:assert/strict'
import { test } from 'node:test'
import { devicesCommand } from './devices.ts'
import { folderOf, runCommand } from './run-command.double.ts'
import { testOperatorCommand } from './test-operator.ts'

const invalid = (option: string, value: string, why: string) => `bowsprit test-operator: ${option}: "${value}" ${why}\n`
const SECONDS = 'is not a number of seconds, more than 0 and at most 3600'
const REFUSED: readonly [words: readonly string[], err: string][] = [
  [['--patience', '0', './op'], invalid('--patience', '0', SECONDS)],
  [['--patience', 'long', './op'], invalid('--patience', 'long', SECONDS)],
  [['--patience', '3601', './op'], invalid('--patience', '3601', SECONDS)],
  [['--quiet', '-1', './op'], invalid('--quiet', '-1', SECONDS)],
  [['--kill-points', '1.5', './op'], invalid('--kill-points', '1.5', 'is not a whole number from 0 to 1000')],
  [['--kill-points', '1001', './op'], invalid('--kill-points', '1001', 'is not a whole number from 0 to 1000')],
  [['--webhook-port', '0', './op'], invalid('--webhook-port', '0', 'is not a whole number from 1 to 65535')],
  [['--webhook-port', '65536', './op'], invalid('--webhook-port', '65536', 'is not a whole number from 1 to 65535')],
  [['--write-test', 'test.rb', './op'], invalid('--write-test', 'test.rb', 'does not end with .go, .ts, .py')],
  [['--only', '(', './op'], invalid('--only', '(', 'is no regular expression')],
  [['--kill-points', '3', '--search', './op'], 'bowsprit test-operator: --kill-points cannot be used together with --search\n'],
  [['--role', import.meta.filename, '--search', './op'], 'bowsprit test-operator: --role cannot be used together with --search\n'],
  [['--seed', '3', './op'], 'bowsprit test-operator: --seed needs --search or --module\n'],
  [['--step', 'delete:a.yaml', './op'], 'bowsprit test-operator: --step needs --search or --module\n'],
  [['./op'], 'bowsprit test-operator: no samples: name objects for the operator to reconcile (--sample FILE)\n'],
  [[], "bowsprit test-operator: missing required argument 'command' (see bowsprit test-operator --help)\n"],
]
for (const [words, err] of REFUSED)
  test(`test-operator ${words.join(' ')} is refused`, async () =>
    assert.deepEqual(await runCommand(testOperatorCommand(), ...words), { code: 2, out: '', err }))

for (const option of ['--install', '--sample', '--role'])
  test(`${option} with a file that holds no object is refused, and nothing is started`, async (t) => {
    const at = folderOf(t, { 'list.yaml': 'metadata: { name: x }\n' })
    const run = await runCommand(testOperatorCommand(), option, at('list.yaml'), './operator')
    assert.deepEqual(run, {
      code: 2,
      out: '',
      err: `bowsprit test-operator: ${option}: ${at('list.yaml')}: an object without apiVersion and kind\n`,
    })
  })

test('a file that is not there is named', async () => {
  const { code, err } = await runCommand(testOperatorCommand(), '--sample', '/nonexistent/s.yaml', './operator')
  assert.equal(code, 2)
  assert.match(err, /^bowsprit test-operator: --sample: "\/nonexistent\/s\.yaml" does not exist/)
})

test('options behind the operator are the operator’s', async () => {
  const { err } = await runCommand(testOperatorCommand(), '--install', '/nonexistent/i.yaml', './operator', '--patience', '0')
  assert.match(err, /\/nonexistent\/i\.yaml/)
})

test('devices test needs the command of a plugin', async () => {
  const { code, err } = await runCommand(devicesCommand(), 'test')
  assert.deepEqual([code, err], [2, "bowsprit devices test: missing required argument 'command' (see bowsprit devices test --help)\n"])
})
