import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Pod } from '../../types/pod.ts'
import { fileValue, valueIn } from './file-key.ts'

const cases: readonly (readonly [string, string, string | undefined])[] = [
  ['a value in quotes', "A='b'", 'b'],
  ['what comes before does not matter', "# words\n\n  X='1'\nA='b' # why", 'b'],
  ['a value of several lines', "A='b\nc\n'\n", 'b\nc\n'],
  ['a blank ends a value before it begins', "A= 'b'", ''],
  ['no such key', "X='1'", ''],
  ['nothing', '', ''],
  ['no quotes', 'A=b', undefined],
  ['no sign', 'A', undefined],
  ['a blank before the sign', "A ='b'", undefined],
  ['no name', "='b'", undefined],
  ['no end', "A='b\nc", undefined],
  ['words after the end', "A='b' c", undefined],
  ['what comes after the key is not looked at', "A='b'\nnonsense", 'b'],
]

for (const [rule, text, wanted] of cases) test(`a file of variables: ${rule}`, () => assert.equal(valueIn(text, 'A'), wanted))

test('what was written in quotes is read back', () => {
  const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/)
  const value = fc.string({ minLength: 1 }).map((s) => s.replace(/['\r]/g, '').trim() || 'x')
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([n]) => n, minLength: 1, maxLength: 6 }), (pairs) => {
      const text = pairs.map(([n, v]) => `${n}='${v}'\n`).join('')
      for (const [n, v] of pairs) assert.equal(valueIn(text, n), v)
    }),
  )
})

test('no text makes it throw', () => {
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom('A', '=', "'", '\n', ' ', '#', '\t', '\r') }), (text) => void valueIn(text, 'A')))
})

const pod = {
  metadata: { name: 'p', uid: 'u' },
  spec: { containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/v' }] }] },
  status: {},
} as unknown as Pod
const ref = { volumeName: 'v', path: 'env', key: 'A' }

test('an unmounted volume does not exist, optional or not', () => {
  const { fault } = fileValue(pod, { ...ref, volumeName: 'w', optional: true }, () => "A='b'")
  assert.equal(fault, 'cannot find the volume "w" referenced by FileKeyRef')
})

test('a key that is not there is a fault unless it is optional; a file that is not there always is', () => {
  assert.deepEqual(
    fileValue(pod, { ...ref, optional: true }, () => ''),
    {},
  )
  assert.match(fileValue(pod, ref, () => '').fault ?? '', /^environment variable key "A" not found in file/)
  assert.equal(fileValue(pod, { ...ref, optional: true }, () => undefined).fault, "couldn't parse env file")
  assert.deepEqual(
    fileValue(pod, ref, () => "A='b'"),
    { value: 'b' },
  )
})
