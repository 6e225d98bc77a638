import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFlexAnswer } from './flex-answer.ts'

const PLAIN = { device: '', volumeName: '', attached: false, capabilities: { attach: true, fsGroup: true } }

test('what a driver leaves out has its default', () => {
  assert.deepEqual(readFlexAnswer('init', '{"status":"Success"}'), PLAIN)
  const text = '{"status":"Success","device":"/dev/x","attached":true,"capabilities":{"attach":false,"fsGroup":false}}'
  const capabilities = { attach: false, fsGroup: false }
  assert.deepEqual(readFlexAnswer('init', text), { ...PLAIN, device: '/dev/x', attached: true, capabilities })
  assert.deepEqual(readFlexAnswer('attach', '{"status":"Success","device":7,"capabilities":"all"}'), PLAIN, 'other types count for nothing')
})

const FAULTS: readonly (readonly [name: string, output: string, message: string])[] = [
  ['nothing', '', 'unexpected end of JSON input'],
  ['words', 'oh dear', "invalid character 'o' looking for beginning of value"],
  ['a list', '[]', 'json: cannot unmarshal array into Go value of type flexvolume.DriverStatus'],
  ['a failure', '{"status":"Failure","message":"no"}', 'mount command failed, status: Failure, reason: no'],
  ['no status', '{}', 'mount command failed, status: , reason: '],
  ['null', 'null', 'mount command failed, status: , reason: '],
  ['an unknown command', '{"status":"Not supported"}', 'Not supported'],
]
for (const [name, output, message] of FAULTS)
  test(`refuses: ${name}`, () => {
    const notSupported = message === 'Not supported'
    assert.throws(() => readFlexAnswer('mount', output), { name: 'FlexError', message, notSupported })
  })
