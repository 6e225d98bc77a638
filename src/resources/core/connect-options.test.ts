import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attachOptions, execOptions, portForwardOptions, proxyOptions } from './connect-options.ts'

const query = (text: string) => {
  const params = new URLSearchParams(text)
  return { get: (name: string) => params.get(name) ?? undefined, all: (name: string) => params.getAll(name) }
}

const ATTACHED: readonly (readonly [query: string, options: object])[] = [
  ['', {}],
  ['stdin=true&stdout=1&stderr=yes&tty=', { stdin: true, stdout: true, stderr: true, tty: true }],
  ['stdin=false&stdout=0&stderr=FALSE', {}],
  ['container=c', { container: 'c' }],
  ['container=', {}],
]
for (const [text, options] of ATTACHED)
  test(`options to attach: ${text}`, () => {
    assert.deepEqual(attachOptions(query(text)), options)
    assert.deepEqual(execOptions(query(text)), { ...options, command: null })
  })

test('a command has its words in order', () =>
  assert.deepEqual(execOptions(query('command=ls&tty=1&command=-l')), { tty: true, command: ['ls', '-l'] }))

const PORTS: readonly (readonly [query: string, options: object])[] = [
  ['', {}],
  ['ports=80', { ports: [80] }],
  ['ports=80,81&ports=82', { ports: [80, 81, 82] }],
  ['ports=65535', { ports: [65_535] }],
]
for (const [text, options] of PORTS) test(`ports to forward: ${text}`, () => assert.deepEqual(portForwardOptions(query(text)), options))

for (const [text, why] of [
  ['65536', 'value out of range'],
  ['a', 'invalid syntax'],
  ['-1', 'invalid syntax'],
  ['', 'invalid syntax'],
])
  test(`the port "${text}" is refused`, () =>
    assert.throws(() => portForwardOptions(query(`ports=${text}`)), {
      message: `cannot convert to []int32: strconv.ParseUint: parsing "${text}": ${why}`,
      code: 400,
    }))

test('a proxy has the path, where there is one', () =>
  assert.deepEqual([proxyOptions(query(''), '/a'), proxyOptions(query(''), '')], [{ path: '/a' }, {}]))
