import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Pod } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { planPodGc } from './plan.ts'
import { PodsInQuestion } from './pods-in-question.ts'

const change = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  node: fc.constantFrom('', 'here', 'away', 'lost'),
  phase: fc.constantFrom('Running', 'Failed'),
  ends: fc.boolean(),
  gone: fc.boolean(),
})

test('whatever happened to pods, those in question are judged as all of them would be', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const question = new PodsInQuestion()
      const pods = new Map<string, Pod>()
      const nodes = new Set(['here', 'away'])
      for (const { name, node, phase, ends, gone } of changes) {
        const metadata = { name, namespace: 'n', uid: name, ...(ends && { deletionTimestamp: '2026-01-01T00:00:00Z' }) }
        const pod: Pod = sketch({ metadata, spec: node === '' ? {} : { nodeName: node }, status: { phase } })
        if (gone) {
          pods.delete(`n/${name}`)
          question.gone(pod)
        } else {
          pods.set(`n/${name}`, pod)
          question.saw(pod)
        }
        const outOfService = new Set(['away'])
        const bereft = question.nodesWithout(nodes).flatMap((place) => [...pods.values()].filter((p) => p.spec?.nodeName === place))
        const few = [...new Set([...question.keys().flatMap((key) => pods.get(key) ?? []), ...bereft])]
        const judged = (of: readonly Pod[]) =>
          planPodGc({ pods: of, nodes, outOfService })
            .map(({ pod: { metadata }, why }) => `${metadata.name} ${why}`)
            .sort()
        assert.deepEqual(judged(few), judged([...pods.values()]))
      }
    }),
  )
})

test('pods that run on nodes which are there are not in question, nor those that have ended while they are few', () => {
  const question = new PodsInQuestion()
  const pod = (i: number, phase: string): Pod =>
    sketch({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${i}`, namespace: 'n' },
      spec: { nodeName: 'here' },
      status: { phase },
    })
  for (let i = 0; i < 12_500; i++) question.saw(pod(i, 'Succeeded'))
  assert.deepEqual([question.keys(), question.nodesWithout(new Set(['here']))], [[], []])
  question.saw(pod(12_500, 'Failed'))
  assert.equal(question.keys().length, 12_501)
})
