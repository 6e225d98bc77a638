import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { upstream } from '../../test/upstream.ts'
import { seededRandom } from '../base/random.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { Node, Pod } from '../resources/types/core.ts'
import type { PriorityClass } from '../resources/types/scheduling.ts'
import { NodeTable } from './cache/node-table.ts'
import { podInfo } from './cache/pod-info.ts'
import { profilesOf, type SchedulerConfiguration } from './config/configuration.ts'
import { decideNow } from './framework/decide-now.ts'
import type { Decision } from './framework/decision.ts'
import { listersOver } from './framework/listers.double.ts'
import { Profile } from './framework/profile.ts'

/** Objects in, decision out: the scenarios that the real scheduler was recorded on, without a server. */
const FILE = path.join(upstream, 'scheduler', 'scenarios.json')

interface Expect {
  pod: string
  node: string | null
  anyOf?: string[]
  reason?: string
  message?: string
  event?: string
  nominated?: string
  victims?: string[]
  scores?: Record<string, Record<string, number>>
  after?: string[]
}

interface Scenario {
  id: string
  nodes: Node[]
  pods: Pod[]
  existing?: Pod[]
  extra?: { path: string; body: KubeObject }[]
  config?: SchedulerConfiguration
  expect: Expect[]
}

function setUp(scenario: Scenario) {
  const table = new NodeTable()
  const objects = new Map<string, KubeObject[]>()
  for (const { path, body } of scenario.extra ?? []) {
    const [, namespace = '', resource = ''] = /(?:namespaces\/([^/]+)\/)?([^/]+)$/.exec(path) ?? []
    const object = { ...body, metadata: { ...body.metadata, ...(namespace === '' ? {} : { namespace }) } }
    objects.set(resource, [...(objects.get(resource) ?? []), object])
  }
  const listers = listersOver((resource) => objects.get(resource) ?? [], {
    namespaceLabels: (namespace) => ({ 'kubernetes.io/metadata.name': namespace }),
  })
  const context = { table, listers }
  const random = seededRandom(1)
  const profiles = profilesOf(scenario.config ?? {}, { random }).map((plugins) => new Profile(plugins, context))
  let made = 0
  const admit = (pod: Pod): Pod => {
    const priorityClass = objects
      .get('priorityclasses')
      ?.find((c): c is PriorityClass => c.kind === 'PriorityClass' && c.metadata.name === pod.spec.priorityClassName)
    const spec = {
      ...pod.spec,
      priority: priorityClass?.value ?? 0,
      ...(priorityClass?.preemptionPolicy === undefined ? {} : { preemptionPolicy: priorityClass.preemptionPolicy }),
    }
    return { ...pod, spec, metadata: { ...pod.metadata, uid: `uid-${made++}` } }
  }
  for (const node of scenario.nodes) table.setNode(node)
  for (const pod of scenario.existing ?? []) table.addPod(podInfo(admit(pod)), pod.spec.nodeName ?? '')
  const decide = (pod: Pod): { decision: Decision; admitted: Pod } | undefined => {
    const admitted = admit(pod)
    const profile = profiles.find((p) => p.plugins.schedulerName === (pod.spec.schedulerName ?? 'default-scheduler'))
    const decision =
      profile && decideNow(profile, podInfo(admitted), { random, nominatedOn: () => [], hasNominations: () => false, keepScores: true })
    return decision === undefined ? undefined : { decision, admitted }
  }
  const gate = (pod: Pod) => profiles[0]?.plugins.preEnqueue.map((p) => p.preEnqueue?.(podInfo(pod), context)).find((m) => m !== undefined)
  return { table, decide, gate }
}

function check(scenario: Scenario): void {
  const { table, decide, gate } = setUp(scenario)
  for (const pod of scenario.pods) {
    const expected = scenario.expect.find((e) => e.pod === pod.metadata.name && e.after === undefined)
    if (expected === undefined) return
    const gated = gate(pod)
    if (gated !== undefined) {
      assert.equal(gated, expected.message)
      continue
    }
    if (pod.spec.nodeName) {
      assert.equal(pod.spec.nodeName, expected.node)
      continue
    }
    const result = decide(pod)
    if (result === undefined) {
      assert.equal(expected.node, null)
      continue
    }
    const { decision, admitted } = result
    if (decision.kind === 'placed') {
      const allowed = expected.anyOf ?? [expected.node]
      if (expected.scores) {
        assert.deepEqual(Object.fromEntries(decision.explain.scores), expected.scores)
      }
      assert.ok(allowed.includes(decision.node), `placed on ${decision.node}, not on ${allowed}`)
      // What follows was recorded after upstream's own choice.
      table.addPod(podInfo(admitted), expected.node ?? decision.node)
      continue
    }
    if (expected.message !== undefined) assert.equal(decision.message, expected.message)
    else if (expected.event !== undefined) assert.equal(decision.message, expected.event)
    if (expected.victims)
      assert.deepEqual(
        (decision.nominated?.victims ?? []).map((v) => v.pod.metadata.name),
        expected.victims,
      )
    assert.equal(decision.nominated?.node ?? null, expected.node)
  }
}

const scenarios: Scenario[] = JSON.parse(readFileSync(FILE, 'utf8'))
for (const scenario of scenarios) test(`as recorded: ${scenario.id}`, () => check(scenario))
