import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Pod } from '../../resources/types/core.ts'
import { NodeTable } from '../cache/node-table.ts'
import { type PodInfo, podInfo } from '../cache/pod-info.ts'
import { interPodAffinity } from '../plugins/inter-pod-affinity.ts'
import { podTopologySpread } from '../plugins/pod-topology-spread.ts'
import { DryRun } from './dry-run.ts'
import { NO_OBJECTS } from './listers.double.ts'
import type { PluginContext, PreparedFilter } from './prepared.ts'

const factory = { random: { int: () => 0, uuid: () => '' } }
const PLUGINS = [podTopologySpread({}, factory), interPodAffinity({}, factory)]

const selector = (app: string) => ({ matchLabels: { app } })
const RULES = ['none', 'near', 'away', 'spread by zone', 'spread by host', 'near and away'] as const
const podLike = fc.record({
  app: fc.constantFrom('x', 'y'),
  of: fc.constantFrom('x', 'y'),
  rule: fc.constantFrom(...RULES),
  host: fc.boolean(),
})

function made(name: string, { app, of, rule, host }: typeof podLike extends fc.Arbitrary<infer T> ? T : never): PodInfo {
  const terms = {
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: host ? 'host' : 'zone', labelSelector: selector(of) }],
  }
  const spread = (topologyKey: string): Partial<Pod['spec']> => ({
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector(of) }],
  })
  const more: Readonly<Record<(typeof RULES)[number], Partial<Pod['spec']>>> = {
    none: {},
    near: { affinity: { podAffinity: terms } },
    away: { affinity: { podAntiAffinity: terms } },
    'spread by zone': spread('zone'),
    'spread by host': spread('host'),
    'near and away': { affinity: { podAffinity: terms, podAntiAffinity: { ...terms } }, ...spread('zone') },
  }
  return podInfo({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'd', uid: name, labels: { app } },
    spec: { containers: [], ...more[rule] },
  })
}

test('AddPod and RemovePod say what the filters would say if they were made ready anew, and they are made ready once', () => {
  const zone = fc.constantFrom('a', 'b', undefined)
  const move = fc.record({ which: fc.nat(), row: fc.nat() })
  fc.assert(
    fc.property(
      fc.array(zone, { minLength: 1, maxLength: 5 }),
      fc.array(podLike, { minLength: 1, maxLength: 8 }),
      podLike,
      fc.array(move, { maxLength: 12 }),
      (zones, others, wish, moves) => {
        const table = new NodeTable()
        for (const [i, value] of zones.entries()) {
          const labels = { host: `n${i}`, ...(value === undefined ? {} : { zone: value }) }
          table.setNode({ apiVersion: 'v1', kind: 'Node', metadata: { name: `n${i}`, labels } })
        }
        const pods = others.map((other, i) => made(`p${i}`, other))
        const where = new Map<PodInfo, string>()
        for (const [i, pod] of pods.entries()) {
          if (i % 3 === 2) continue
          where.set(pod, `n${i % zones.length}`)
          table.addPod(pod, `n${i % zones.length}`)
        }
        const pod = made('new', wish)
        const context: PluginContext = {
          table,
          listers: NO_OBJECTS,
        }
        let prepared = 0
        const prepare = (onTrial: boolean): readonly PreparedFilter[] => PLUGINS.flatMap((p) => p.filter?.(pod, context, onTrial) ?? [])
        const dryRun = new DryRun({
          context,
          local: () => undefined,
          nominatedOn: () => [],
          prepare: () => {
            prepared++
            return prepare(true)
          },
        })
        const anew = (row: number) => {
          for (const { check } of prepare(false)) {
            const verdict = check?.(row)
            if (verdict !== undefined) return verdict
          }
          return undefined
        }
        const compare = () => {
          for (let row = 0; row < table.rows; row++) assert.deepEqual(dryRun.check(row), anew(row))
        }
        compare()
        for (const { which, row } of moves) {
          const other = pods[which % pods.length]
          assert.ok(other)
          const at = where.get(other)
          if (at === undefined) {
            const node = `n${row % zones.length}`
            dryRun.addPod(other, node)
            where.set(other, node)
          } else {
            dryRun.removePod(other, at)
            where.delete(other)
          }
          compare()
        }
        assert.equal(prepared, 1)
      },
    ),
    { numRuns: 500 },
  )
})
