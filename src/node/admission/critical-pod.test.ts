import assert from 'node:assert/strict'
import { test } from 'node:test'
import { podDouble } from '../types/pod.double.ts'
import { isCritical, isPreemptable } from './critical-pod.ts'
import { podsToPreempt } from './pods-to-preempt.ts'

const SYSTEM = 2_000_000_000
const withPriority = (priority?: number) => podDouble(priority === undefined ? {} : { spec: { priority } })
const fromFile = { metadata: { name: 'p', annotations: { 'kubernetes.io/config.source': 'file' } } }

for (const [text, pod, critical] of [
  ['without priority', withPriority(), false],
  ['with a high priority of users', withPriority(1_000_000_000), false],
  ['with priority system-cluster-critical', withPriority(SYSTEM), true],
  ['from a file of the node', podDouble(fromFile), true],
  ['of the API that says it is from a file', podDouble({ metadata: { ...fromFile.metadata, resourceVersion: '1' } }), false],
] as const)
  test(`a pod ${text} is ${critical ? '' : 'not '}critical`, () => assert.equal(isCritical(pod), critical))

for (const [text, preemptor, victim, may] of [
  ['critical, plain', withPriority(SYSTEM), withPriority(), true],
  ['higher, lower', withPriority(10), withPriority(5), true],
  ['equal', withPriority(5), withPriority(5), false],
  ['lower, higher', withPriority(5), withPriority(10), false],
  ['plain, plain', withPriority(), withPriority(), false],
  ['critical, more critical', withPriority(SYSTEM), withPriority(SYSTEM + 1000), false],
] as const)
  test(`preemption (${text}): ${may}`, () => assert.equal(isPreemptable(preemptor, victim), may))

/** A pod of that QoS with this many cores; `plain` is BestEffort. */
const asks = (name: string, quality: 'guaranteed' | 'burstable' | 'plain', cpu = '1') => {
  const amounts = { cpu, memory: '1Gi' }
  const resources = quality === 'plain' ? {} : quality === 'burstable' ? { requests: amounts } : { requests: amounts, limits: amounts }
  return podDouble({ metadata: { name, uid: name }, spec: { containers: [{ name: 'main', image: 'app', resources }] } })
}

for (const [text, pods, cores, victims] of [
  ['one that is enough, the smallest', [asks('big', 'burstable', '4'), asks('small', 'burstable', '2')], 2, ['small']],
  ['those with the least promises first', [asks('g', 'guaranteed', '2'), asks('b', 'burstable', '2')], 2, ['b']],
  ['as few as can be', [asks('a', 'burstable', '1'), asks('b', 'burstable', '1'), asks('c', 'burstable', '2')], 2, ['c']],
  ['pods without requests free no cores', [asks('p', 'plain'), asks('b', 'burstable', '2')], 2, ['b']],
] as const)
  test(`a critical pod preempts ${text}`, () => {
    const found = podsToPreempt(withPriority(SYSTEM), pods, [{ resource: 'cpu', amount: cores * 1000 }])
    assert.deepEqual(typeof found === 'string' ? found : found.map((p) => p.metadata.name), victims)
  })

test('where all pods together are not enough, the shortage is named', () => {
  const found = podsToPreempt(withPriority(SYSTEM), [asks('b', 'burstable', '1')], [{ resource: 'cpu', amount: 1500 }])
  assert.equal(found, 'no set of running pods found to reclaim resources: [(res: cpu, q: 500), ]')
})
