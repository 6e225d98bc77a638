import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseQuantity } from '../../machinery/quantity.ts'
import { podsToPreempt, requestOf, type Shortage } from '../admission/pods-to-preempt.ts'
import type { Pod } from '../types/pod.ts'
import { completeEviction, type WrittenEviction } from './eviction-config.ts'
import { NO_PRESSURE, observePressure } from './observe-pressure.ts'
import { rankPods } from './rank-pods.ts'
import { overStorageLimit } from './storage-limits.ts'
import { type Signal, ThresholdError } from './thresholds.ts'
import type { Observations, PodUse } from './usage.ts'

const Mi = 2 ** 20

interface PodSketch {
  readonly requests?: Record<string, string>
  readonly limits?: Record<string, string>
  readonly priority?: number
  readonly volumes?: Pod['spec']['volumes']
  readonly annotations?: Record<string, string>
}

function pod(name: string, { requests, limits, priority, volumes, annotations }: PodSketch = {}): Pod {
  const resources = { ...(requests && { requests }), ...(limits && { limits }) }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, uid: name, ...(annotations && { annotations }) },
    spec: { containers: [{ name: 'c', image: 'i', resources }], ...(priority !== undefined && { priority }), ...(volumes && { volumes }) },
    status: {},
  }
}

const use = (memoryMi: number, { layer = 0, logs = 0, volume = 0, processes = 1 } = {}): PodUse => ({
  containers: [
    { name: 'c', memoryBytes: memoryMi * Mi, layer: { bytes: layer * Mi, inodes: layer }, logs: { bytes: logs * Mi, inodes: logs } },
  ],
  volumes: new Map([['v', { bytes: volume * Mi, inodes: volume }]]),
  processes,
})

const settings: readonly (readonly [string, WrittenEviction, string])[] = [
  ['an unknown signal', { evictionHard: { 'memory.free': '1Gi' } }, 'unsupported eviction signal memory.free'],
  [
    'a soft threshold without a grace',
    { evictionSoft: { 'memory.available': '1Gi' } },
    'grace period must be specified for the soft eviction threshold memory.available',
  ],
  ['too much', { evictionHard: { 'nodefs.available': '101%' } }, 'eviction percentage threshold nodefs.available must be <= 100%: 101%'],
  ['too little', { evictionHard: { 'nodefs.available': '-1%' } }, 'eviction percentage threshold nodefs.available must be >= 0%: -1%'],
  ['nothing', { evictionHard: { 'memory.available': '0' } }, 'eviction threshold memory.available must be positive: 0'],
  [
    'a negative minimum',
    { evictionMinimumReclaim: { 'memory.available': '-1Mi' } },
    'negative eviction minimum reclaim specified for memory.available',
  ],
  [
    'a negative grace',
    { evictionSoftGracePeriod: { 'memory.available': '-1s' } },
    'invalid eviction grace period specified: -1s, must be a positive value',
  ],
]

for (const [rule, written, wanted] of settings)
  test(`settings that are not taken: ${rule}`, () =>
    assert.throws(
      () => completeEviction(written),
      (error) => error instanceof ThresholdError && error.message === wanted,
    ))

test('0 % and 100 % switch a threshold off; hard memory counts for the pods together as well', () => {
  const { thresholds } = completeEviction({
    evictionHard: { 'nodefs.available': '0%', 'imagefs.available': '100%', 'memory.available': '1Gi' },
  })
  assert.deepEqual(
    thresholds.map((t) => t.signal),
    ['memory.available', 'allocatableMemory.available'],
  )
})

const left = (amounts: Partial<Record<Signal, string>>): Observations =>
  new Map(Object.entries(amounts).map(([s, a]) => [s as Signal, { available: parseQuantity(a ?? '0'), capacity: parseQuantity('10Gi') }]))

test('a condition stays for a while; a soft threshold waits for its grace; what is acted on lasts until more is left', () => {
  const { thresholds } = completeEviction({
    evictionHard: { 'nodefs.available': '10%' },
    evictionSoft: { 'memory.available': '1Gi' },
    evictionSoftGracePeriod: { 'memory.available': '30s' },
    evictionMinimumReclaim: { 'nodefs.available': '500Mi' },
  })
  let memory = NO_PRESSURE
  const look = (nowMs: number, amounts: Partial<Record<Signal, string>>) => {
    const seen = observePressure(memory, { thresholds, observations: left(amounts), transitionMs: 60_000, nowMs })
    memory = seen.memory
    return [seen.conditions.join(), seen.acting.map((t) => t.signal).join()]
  }
  assert.deepEqual(look(0, { 'memory.available': '900Mi', 'nodefs.available': '2Gi' }), ['MemoryPressure', ''])
  assert.deepEqual(look(20_000, { 'memory.available': '900Mi', 'nodefs.available': '1000Mi' }), [
    'DiskPressure,MemoryPressure',
    'nodefs.available',
  ])
  // Memory pressure always comes first.
  assert.deepEqual(look(30_000, { 'memory.available': '900Mi', 'nodefs.available': '1200Mi' }), [
    'DiskPressure,MemoryPressure',
    'memory.available,nodefs.available',
  ])
  assert.deepEqual(look(40_000, { 'memory.available': '2Gi', 'nodefs.available': '1400Mi' }), [
    'DiskPressure,MemoryPressure',
    'nodefs.available',
  ])
  assert.deepEqual(look(50_000, { 'memory.available': '2Gi', 'nodefs.available': '2Gi' }), ['DiskPressure,MemoryPressure', ''])
  assert.deepEqual(look(95_000, { 'memory.available': '2Gi', 'nodefs.available': '1200Mi' }), ['DiskPressure', ''])
  assert.deepEqual(look(105_000, { 'memory.available': '2Gi', 'nodefs.available': '2Gi' }), ['', ''])
})

const ranks: readonly (readonly [string, Signal, boolean, readonly (readonly [Pod, PodUse])[], string])[] = [
  [
    'who uses more than he asked for goes before lesser priorities',
    'memory.available',
    false,
    [
      [pod('small', { priority: 0, requests: { memory: '100Mi' } }), use(90)],
      [pod('over', { priority: 10, requests: { memory: '100Mi' } }), use(110)],
      [pod('far-over', { priority: 10 }), use(80)],
    ],
    'far-over over small',
  ],
  [
    'of equals the lesser priority',
    'memory.available',
    false,
    [
      [pod('a', { priority: 5 }), use(9)],
      [pod('b', { priority: 1 }), use(1)],
    ],
    'b a',
  ],
  [
    'process ids are not asked for',
    'pid.available',
    false,
    [
      [pod('few'), use(1)],
      [pod('many'), use(1, { processes: 9 })],
    ],
    'many few',
  ],
  [
    'a disk holds layers, logs and volumes',
    'nodefs.available',
    false,
    [
      [pod('logs'), use(0, { logs: 5 })],
      [pod('layer'), use(0, { layer: 6 })],
      [pod('volume', { volumes: [{ name: 'v', emptyDir: {} }] }), use(0, { volume: 7 })],
    ],
    'volume layer logs',
  ],
  [
    'where images lie elsewhere, layers lie there',
    'nodefs.available',
    true,
    [
      [pod('logs'), use(0, { logs: 5 })],
      [pod('layer'), use(0, { layer: 6 })],
    ],
    'logs layer',
  ],
  [
    'and count there',
    'imagefs.available',
    true,
    [
      [pod('logs'), use(0, { logs: 5 })],
      [pod('layer'), use(0, { layer: 6 })],
    ],
    'layer logs',
  ],
  [
    'a volume in memory is no disk',
    'nodefs.available',
    false,
    [
      [pod('memory', { volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }] }), use(0, { volume: 7 })],
      [pod('logs'), use(0, { logs: 1 })],
    ],
    'logs memory',
  ],
]

for (const [rule, signal, separateImages, all, wanted] of ranks) {
  test(`order of eviction: ${rule}`, () => {
    const uses = new Map(all.map(([p, u]) => [p, u]))
    const ranked = rankPods({ signal, pods: all.map(([p]) => p), use: (p) => uses.get(p) ?? use(0), separateImages })
    assert.equal(ranked.map((p) => p.metadata.name).join(' '), wanted)
  })
}

const emptyDir = (sizeLimit?: string, medium?: string) => ({
  volumes: [{ name: 'v', emptyDir: { ...(sizeLimit !== undefined && { sizeLimit }), ...(medium !== undefined && { medium }) } }],
})

const limits: readonly (readonly [string, PodSketch, PodUse, boolean, string | undefined])[] = [
  ['a volume over its limit', emptyDir('1Mi'), use(0, { volume: 2 }), false, 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". '],
  ['to the last byte', emptyDir('2Mi'), use(0, { volume: 2 }), false, undefined],
  ['no limit', emptyDir('0'), use(0, { volume: 2 }), false, undefined],
  [
    'all of a pod',
    { limits: { 'ephemeral-storage': '3Mi' }, ...emptyDir() },
    use(0, { layer: 1, logs: 1, volume: 2 }),
    true,
    'Pod ephemeral local storage usage exceeds the total limit of containers 3Mi. ',
  ],
  [
    'a volume in memory is not its storage',
    { limits: { 'ephemeral-storage': '3Mi' }, ...emptyDir(undefined, 'Memory') },
    use(0, { layer: 1, volume: 9 }),
    false,
    undefined,
  ],
]

for (const [rule, sketch, used, separate, wanted] of limits)
  test(`limits of storage: ${rule}`, () => assert.equal(overStorageLimit(pod('p', sketch), used, separate)?.message, wanted))

test('a container over its own limit is evicted although its pod is not over its limit', () => {
  const two: Pod = pod('p', { limits: { 'ephemeral-storage': '1Mi' } })
  const other = { name: 'd', image: 'i', resources: { limits: { 'ephemeral-storage': '9Mi' } } }
  const both: Pod = { ...two, spec: { ...two.spec, containers: [...two.spec.containers, other] } }
  const wanted = 'Container c exceeded its local ephemeral storage limit "1Mi". '
  assert.equal(overStorageLimit(both, use(0, { layer: 2 }), false)?.message, wanted)
  assert.equal(overStorageLimit(both, use(0, { layer: 2 }), true)?.message, undefined)
  assert.equal(overStorageLimit(both, use(0, { logs: 2 }), true)?.message, wanted)
})

const critical = pod('critical', { priority: 2_000_000_000 })
const asks = (cpu: string, memory?: string): PodSketch => ({ requests: { cpu, ...(memory !== undefined && { memory }) } })

const rooms: readonly (readonly [string, readonly Pod[], readonly Shortage[], string])[] = [
  [
    'the smallest that is enough',
    [pod('big', asks('2')), pod('fits', asks('500m')), pod('small', asks('100m'))],
    [{ resource: 'cpu', amount: 400 }],
    'fits',
  ],
  [
    'several where none is',
    [pod('a', asks('300m')), pod('b', asks('200m')), pod('c', asks('100m'))],
    [{ resource: 'cpu', amount: 450 }],
    'a b',
  ],
  [
    'those that are promised least',
    [pod('promised', { ...asks('1', '1Gi'), limits: { cpu: '1', memory: '1Gi' } }), pod('burst', asks('1'))],
    [{ resource: 'cpu', amount: 900 }],
    'burst',
  ],
  ['a place for a pod', [pod('nothing'), pod('burst', asks('1'))], [{ resource: 'pods', amount: 1 }], 'nothing'],
  [
    'not the system’s own',
    [pod('system', { ...asks('1'), priority: 2_000_000_000 })],
    [{ resource: 'cpu', amount: 900 }],
    'no set of running pods found to reclaim resources: [(res: cpu, q: 900), ]',
  ],
  [
    'not a static one',
    [pod('static', { ...asks('1'), annotations: { 'kubernetes.io/config.source': 'file' } })],
    [{ resource: 'cpu', amount: 1 }],
    'no set of running pods found to reclaim resources: [(res: cpu, q: 1), ]',
  ],
]

for (const [rule, others, lacking, wanted] of rooms) {
  test(`room for a critical pod: ${rule}`, () => {
    const found = podsToPreempt(critical, others, lacking)
    assert.equal(typeof found === 'string' ? found : found.map((p) => p.metadata.name).join(' '), wanted)
  })
}

test('evictions free enough, and no pod is evicted twice', () => {
  const amounts = fc.array(fc.tuple(fc.nat(2000), fc.nat(2000)), { maxLength: 8 })
  fc.assert(
    fc.property(amounts, fc.integer({ min: 1, max: 4000 }), fc.integer({ min: 1, max: 4000 }), (list, cpu, memory) => {
      const others = list.map(([c, m], i) => pod(`p${i}`, asks(`${c}m`, `${m}`)))
      const found = podsToPreempt(critical, others, [
        { resource: 'cpu', amount: cpu },
        { resource: 'memory', amount: memory },
      ])
      const sum = (pods: readonly Pod[], resource: string) => pods.reduce((total, p) => total + requestOf(p, resource), 0)
      const enough = (pods: readonly Pod[]) => sum(pods, 'cpu') >= cpu && sum(pods, 'memory') >= memory
      if (typeof found === 'string') assert.equal(enough(others), false)
      else {
        assert.ok(enough(found))
        assert.equal(new Set(found).size, found.length)
      }
    }),
  )
})
