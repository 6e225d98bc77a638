import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReportedDecision, ReportedMemory, TopologyReport } from '../../resources/bowsprit/topology-report.ts'
import { barOf, bytesText, cachesOf, deviceMark, devicesText, memoryText, rangeText, whyNodeText } from './node-text.ts'

const GI = 2 ** 30

for (const [ids, text] of [
  [[], ''],
  [[3], '3'],
  [[0, 1, 2, 3], '0-3'],
  [[8, 1, 0, 3], '0-1,3,8'],
  [[5, 4, 9, 10, 11], '4-5,9-11'],
] as const)
  test(`processors ${ids.join(' ')} are ${text || 'nothing'}`, () => assert.equal(rangeText(ids), text))

for (const [bytes, text] of [
  [0, '0'],
  [1023, '1023'],
  [1024, '1Ki'],
  [1536, '1536'],
  [3 * GI, '3Gi'],
  [2 ** 40 * 2048, '2048Ti'],
] as const)
  test(`${bytes} bytes are ${text}`, () => assert.equal(bytesText(bytes), text))

const memory = (own: number, others: number, reserved: number): ReportedMemory => ({ type: 'memory', total: 100, own, others, reserved })
for (const [name, given, bar] of [
  ['free', memory(0, 0, 0), [0, 0, 0, 10]],
  ['full', memory(50, 30, 20), [5, 3, 2, 0]],
  ['a byte is seen', memory(1, 0, 0), [1, 0, 0, 9]],
  ['three bytes are seen', memory(1, 1, 1), [1, 1, 1, 7]],
] as const)
  test(`a bar of memory: ${name}`, () => assert.deepEqual(barOf(given, 10), bar))

test('memory in words leaves out what is nothing', () => {
  assert.equal(memoryText({ type: 'memory', total: 4 * GI, own: GI, others: 0, reserved: GI }), '1Gi of this pod, 1Gi reserved, 2Gi free')
})

for (const [device, mark] of [
  [{ id: 'a', use: 'own', healthy: true }, '#'],
  [{ id: 'a', use: 'others', healthy: true }, 'x'],
  [{ id: 'a', use: 'free', healthy: false }, '.!'],
] as const)
  test(`a device: ${JSON.stringify(device)}`, () => assert.equal(deviceMark(device), mark))

test('devices of a pod are named, up to twelve of them', () => {
  const devices = Array.from({ length: 14 }, (_, i) => ({ id: `d${i}`, use: 'own' as const, healthy: true }))
  const text = devicesText({ resource: 'r', devices, total: 20, own: 14, others: 1, free: 4, unhealthy: 1 })
  assert.equal(text, 'd0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, … of this pod, 1 of others, 1 unhealthy, 4 free')
})

test('processors are grouped by last-level cache, then by core', () => {
  const cpu = (id: number, core: number, cache: number) => ({ id, core, cache, socket: 0, use: 'shared' as const })
  const groups = cachesOf([cpu(0, 0, 0), cpu(1, 1, 0), cpu(2, 2, 1), cpu(3, 0, 0)])
  assert.deepEqual(
    groups.map((cores) => cores.map((core) => core.map((c) => c.id))),
    [[[0, 3], [1]], [[2]]],
  )
})

const report = (rest: Partial<TopologyReport>): TopologyReport => ({
  apiVersion: 'bowsprit.dev/v1',
  kind: 'TopologyReport',
  metadata: { name: 'web', namespace: 'default' },
  summary: 'it was admitted',
  node: 'node-1',
  policy: 'single-numa-node',
  scope: 'container',
  decisions: [],
  numaNodes: [],
  devices: [],
  ...rest,
})

const DECISION: ReportedDecision = {
  container: 'main',
  hints: [
    {
      provider: 'cpu',
      resource: 'cpu',
      hints: [
        { mask: '01', preferred: true },
        { mask: '11', preferred: false },
      ],
    },
    { provider: 'memory', resource: 'memory', hints: [] },
    { provider: 'devices' },
  ],
  merged: { mask: '01', preferred: true },
  admitted: true,
}

test('a decision is a row for each hint, and what was made of them', () => {
  const [title, policy, table] = whyNodeText(report({ decisions: [DECISION] })).split('\n\n')
  assert.equal(title, 'pod default/web: it was admitted')
  assert.equal(policy, 'topology policy single-numa-node, scope container')
  assert.equal(
    table,
    [
      'CONTAINER  PROVIDER  RESOURCE  NUMA NODES',
      'main       cpu       cpu       01* 11',
      '           memory    memory    none: it cannot be met',
      '           devices   -         any',
      '           merged              01*  admitted',
      'A bit for each NUMA node, node 0 last; * is preferred.',
    ].join('\n'),
  )
})

for (const [policy, text] of [
  ['none', 'This policy asks for no hints.'],
  ['best-effort', 'What was decided about it is not kept any more.'],
] as const)
  test(`without decisions, policy ${policy}`, () => assert.ok(whyNodeText(report({ policy })).includes(`\n\n${text}\n\n`)))

test('the machine: a line for each cache, memory and resource', () => {
  const cpu = (id: number, use: 'own' | 'shared') => ({ id, core: id, cache: 0, socket: 1, use })
  const devices = {
    resource: 'example.com/dongle',
    devices: [{ id: 'd0', use: 'own' as const, healthy: false }],
    total: 1,
    own: 1,
    others: 0,
    free: 0,
    unhealthy: 1,
  }
  const text = whyNodeText(
    report({
      numaNodes: [
        {
          id: 0,
          cpus: [cpu(0, 'own'), cpu(1, 'shared')],
          memory: [{ type: 'memory', total: GI, own: GI, others: 0, reserved: 0 }],
          devices: [devices],
        },
      ],
      devices: [devices],
    }),
  )
  assert.deepEqual(text.split('\n\n').at(-1)?.split('\n'), [
    'NUMA node 0, socket 1: cpus 0-1',
    '  cpus  [#] [.]',
    `  memory  ${'#'.repeat(32)}  1Gi of this pod of 1Gi`,
    '  example.com/dongle  [#!]  d0 of this pod, 1 unhealthy, 0 free of 1',
    'Of no NUMA node',
    '  example.com/dongle  [#!]  d0 of this pod, 1 unhealthy, 0 free of 1',
    '# this pod, x other pods, r reserved, . free or shared; [ ] one core, one line for each last-level cache; ! unhealthy',
  ])
})
