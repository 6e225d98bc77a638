import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeFate, type DeviceFate, describedDevices, describedGrant, type Fates } from './described-devices.ts'
import { DescriptionError, readDescription } from './description.ts'

const [dongles] = readDescription(`
devices:
- resource: example.com/dongle
  count: 3
  numaNodes: [0, 1]
  attributes: {model: x9}
  env: {DONGLES: $(ids), MODEL: $(attributes.model), OTHER: $(nothing)}
  deviceFiles: [/dev/dongle$(index), /dev/dongle-ctl]
  health:
  - {afterSeconds: 10, healthy: false}
  - {afterSeconds: 20, devices: [1], healthy: true}
`)
assert.ok(dongles)

const show = (fates: Record<string, DeviceFate>, afterMs: number) =>
  describedDevices(dongles, new Map(Object.entries(fates)), afterMs)
    .map((d) => `${d.id}${d.healthy ? '' : '!'}@${d.numaNodes?.join()}`)
    .join(' ')

const tables: readonly (readonly [string, Record<string, DeviceFate>, number, string])[] = [
  ['as described', {}, 0, 'dongle-0@0 dongle-1@1 dongle-2@1'],
  ['the script of health', {}, 10_000, 'dongle-0!@0 dongle-1!@1 dongle-2!@1'],
  ['its second step', {}, 20_000, 'dongle-0!@0 dongle-1@1 dongle-2!@1'],
  [
    'a hand stands above the script',
    { 'example.com/dongle-0': 'healthy', 'example.com/dongle-1': 'failed' },
    20_000,
    'dongle-0@0 dongle-1!@1 dongle-2!@1',
  ],
  [
    'pulled out and plugged in',
    { 'example.com/dongle-0': 'removed', 'example.com/dongle-7': 'added' },
    0,
    'dongle-1@1 dongle-2@1 dongle-7@1',
  ],
  [
    'another resource is not meant',
    { 'example.com/dongle-x-0': 'removed', 'example.org/dongle-0': 'failed' },
    0,
    'dongle-0@0 dongle-1@1 dongle-2@1',
  ],
]
for (const [name, fates, afterMs, expected] of tables)
  test(`described devices: ${name}`, () => assert.equal(show(fates, afterMs), expected))

test('what a container gets is filled in', () => {
  assert.deepEqual(describedGrant(dongles, ['dongle-0', 'dongle-2']), {
    env: { DONGLES: 'dongle-0,dongle-2', MODEL: 'x9', OTHER: '$(nothing)' },
    devices: [{ hostPath: '/dev/dongle0' }, { hostPath: '/dev/dongle2' }, { hostPath: '/dev/dongle-ctl' }],
  })
})

test('what is done and undone by hand leaves nothing behind', () => {
  const name = 'example.com/dongle-0'
  const verbs = (...all: readonly ('fail' | 'recover' | 'add' | 'remove')[]) => [
    ...all.reduce((f: Fates, verb) => changeFate(f, verb, name), new Map()),
  ]
  assert.deepEqual(verbs('remove', 'add'), [])
  assert.deepEqual(verbs('add', 'remove'), [])
  assert.deepEqual(verbs('fail'), [[name, 'failed']])
  assert.deepEqual(verbs('fail', 'recover'), [[name, 'healthy']])
  assert.throws(() => changeFate(new Map(), 'fail', 'dongle'), /names no device/)
})

test('an invalid description is refused with the path of the field', () => {
  for (const [text, where] of [
    ['devices: {}', 'devices: give a list'],
    ['devices: [{resource: dongle}]', 'devices[0].resource'],
    ['devices: [{resource: a.b/c, cuont: 1}]', 'devices[0].cuont'],
    ['devices: [{resource: a.b/c, count: -1}]', 'devices[0].count'],
    ['devices: [{resource: a.b/c, health: [{healthy: maybe, afterSeconds: 1}]}]', 'devices[0].health[0].healthy'],
  ] as const)
    assert.throws(
      () => readDescription(text),
      (e) => e instanceof DescriptionError && e.message.startsWith(where),
      text,
    )
})
