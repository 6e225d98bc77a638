import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Checkpoint, DeviceCheckpointError, readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import type { LedgerEntry } from './device-ledger.ts'

/** Generated with Kubernetes' own code (checksum of `k8s.io/utils/dump`). */
const KUBELETS = [
  '{"Data":{"PodDeviceEntries":null,"RegisteredDevices":null},"Checksum":1944006890}',
  '{"Data":{"PodDeviceEntries":null,"RegisteredDevices":{}},"Checksum":3467439661}',
  '{"Data":{"PodDeviceEntries":[],"RegisteredDevices":{"b":null,"a":[],"c\\"x":["d0","é\\n"]}},"Checksum":1545733969}',
  '{"Data":{"PodDeviceEntries":[{"PodUID":"u","ContainerName":"c","ResourceName":"r","DeviceIDs":{"-1":["d3","d2"],"10":["x"],"9":[],"0":null},"AllocResp":"CgA="},{"PodUID":"u2","ContainerName":"c","ResourceName":"r","DeviceIDs":null,"AllocResp":null}],"RegisteredDevices":{}},"Checksum":0}',
]

test('a checkpoint of the kubelet is read, and its checksum is ours', () => {
  for (const text of KUBELETS.slice(0, 3)) assert.doesNotThrow(() => readCheckpoint(text), text)
  assert.throws(() => readCheckpoint(KUBELETS[3] ?? ''), DeviceCheckpointError)
})

const PLAIN = { noNullPrototype: true } as const
const word = fc.string({ minLength: 1, maxLength: 6 }).filter((w) => w !== '__proto__')
const response = fc.record(
  {
    envs: fc.uniqueArray(fc.tuple(word, fc.string()), { selector: ([k]) => k }).map((pairs) => new Map(pairs)),
    mounts: fc.array(fc.record({ containerPath: fc.string(), hostPath: fc.string(), readOnly: fc.boolean() }, PLAIN), { maxLength: 3 }),
    devices: fc.array(fc.record({ containerPath: fc.string(), hostPath: fc.string(), permissions: fc.string() }, PLAIN), { maxLength: 3 }),
    annotations: fc.constant(new Map<string, string>()),
    cdiDevices: fc.array(fc.record({ name: fc.string() }, PLAIN), { maxLength: 2 }),
  },
  PLAIN,
)
const entry: fc.Arbitrary<LedgerEntry> = fc.record(
  {
    podUid: word,
    container: word,
    resource: word,
    byNuma: fc
      .uniqueArray(fc.tuple(fc.integer({ min: -1, max: 12 }), fc.array(word, { maxLength: 4 })), { selector: ([n]) => n })
      .map((p) => new Map(p)),
    response,
  },
  PLAIN,
)
const sortedByKey = <V>(map: ReadonlyMap<string | number, V>) => [...map].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))

test('what is written is read again', () => {
  const registered = fc.uniqueArray(fc.tuple(word, fc.array(word)), { selector: ([k]) => k }).map((pairs) => new Map(pairs))
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 5 }), registered, (entries, known) => {
      const back: Checkpoint = readCheckpoint(writeCheckpoint({ entries, registered: known }))
      assert.deepEqual(sortedByKey(back.registered), sortedByKey(known))
      const plain = (e: LedgerEntry) => ({ ...e, byNuma: sortedByKey(e.byNuma) })
      assert.deepEqual(back.entries.map(plain), entries.map(plain))
    }),
  )
})

test('a truncated or changed file is detected', () => {
  const good = writeCheckpoint({
    entries: [
      {
        podUid: 'u',
        container: 'c',
        resource: 'r',
        byNuma: new Map([[-1, ['d']]]),
        response: { envs: new Map(), mounts: [], devices: [], annotations: new Map(), cdiDevices: [] },
      },
    ],
    registered: new Map([['r', ['d']]]),
  })
  for (let at = 0; at < good.length; at++) assert.throws(() => readCheckpoint(good.slice(0, at)), DeviceCheckpointError)
  assert.throws(() => readCheckpoint(good.replace('"d"', '"e"')), DeviceCheckpointError)
  for (const text of ['null', '[]', '{"Data":{"PodDeviceEntries":[1]},"Checksum":1}', '{"Data":{},"Checksum":"1"}'])
    assert.throws(() => readCheckpoint(text), DeviceCheckpointError)
})
