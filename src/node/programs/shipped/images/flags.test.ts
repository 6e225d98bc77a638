import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFlags } from './flags.ts'

const TEXTS: readonly (readonly [args: readonly string[], name: string, value: string])[] = [
  [['--port=80'], 'port', '80'],
  [['--port', '80'], 'port', '80'],
  [['-port', '80'], 'port', '80'],
  [['--port', '-1'], 'port', '-1'],
  [['--port', '--other'], 'port', 'true'],
  [['--port'], 'port', 'true'],
  [['--text=a=b'], 'text', 'a=b'],
  [['--text='], 'text', ''],
  [['--a', '1', '--a', '2'], 'a', '2'],
  [[], 'port', 'usual'],
]
for (const [args, name, value] of TEXTS)
  test(`the flag ${name} of ${JSON.stringify(args)} is ${JSON.stringify(value)}`, () => {
    assert.equal(readFlags(args).text(name, 'usual'), value)
  })

test('a switch takes no word', () => {
  const flags = readFlags(['--json', 'word', '--port', '80', 'other'], ['json'])
  assert.deepEqual([flags.has('json'), flags.number('port', 1), flags.words], [true, 80, ['word', 'other']])
})

test('what is no number is the usual one', () => {
  assert.deepEqual([readFlags(['--port=abc']).number('port', 8080), readFlags([]).number('port', 8080)], [8080, 8080])
})
