import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FlagError } from '../machinery/flags/parse-flags.ts'
import { apiServerCommand, failureText } from './apiserver.ts'
import { parseServerFlags } from './kube-apiserver/serve.ts'
import { runCommand } from './run-command.double.ts'

for (const [error, text] of [
  [new FlagError('unknown-flag', 'unknown flag: --x'), 'Error: unknown flag: --x'],
  [new Error('one line'), 'E "command failed" err="one line"'],
  [new Error('two\nlines'), 'E "command failed" err=<\n\ttwo\n\tlines\n >'],
  ['a text', 'E "command failed" err="a text"'],
] as const)
  test(`a failure is printed as kube-apiserver does: ${String(error)}`, () => assert.equal(failureText(error), text))

for (const word of ['--help', '-h'])
  test(`apiserver ${word} lists kube-apiserver's flags`, async () => {
    const { code, out } = await runCommand(apiServerCommand(), word)
    assert.equal(code, 0)
    assert.match(out, /Usage:\n {2}bowsprit apiserver \[flags\]/)
    assert.match(out, /^ {6}--secure-port int +\S/m)
    assert.match(out, /^ {6}--disable-http2-serving +\(not followed: HTTP\/2 is always served/m)
  })

test('apiserver --version prints that of Kubernetes', async () => {
  assert.deepEqual(await runCommand(apiServerCommand(), '--version'), { code: 0, out: 'Kubernetes v1.36.3\n', err: '' })
})

for (const [words, message] of [
  [['serve'], '"kube-apiserver" does not take any arguments, got ["serve"]'],
  [['--v=2', 'a', 'b'], '"kube-apiserver" does not take any arguments, got ["a" "b"]'],
  [['--no-such-flag'], 'unknown flag: --no-such-flag'],
] as const)
  test(`kube-apiserver ${words.join(' ')} is refused`, () => assert.throws(() => parseServerFlags(words), { name: 'FlagError', message }))
