import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { openTopology } from '../../src/node/allocation/topology/open-topology.ts'
import { KubeletStartError } from '../../src/node/configuration/kubelet-start-error.ts'
import { upstream } from '../upstream.ts'
import { initOf, openRecorded } from './machine-stories/play-machine.ts'
import type { RecordedCall, RecordedGroup } from './machine-stories/story.ts'

const { groups }: { readonly groups: readonly RecordedGroup[] } = JSON.parse(
  readFileSync(path.join(upstream, 'node/cpu-memory.json'), 'utf8'),
)

/** The order of concurrent calls is random: the kubelet iterates over a map. */
const sorted = (calls: readonly RecordedCall[]) => calls.map((c) => JSON.stringify(kept(c))).sort()

function kept({ call, pod, container, cpu_quota, cpu_shares, cpuset_cpus, cpuset_mems }: RecordedCall) {
  return { call, pod, container, cpu_quota, cpu_shares, cpuset_cpus, cpuset_mems }
}

const withoutChecksum = ({ checksum: _, ...rest }: Readonly<Record<string, unknown>>) => rest

for (const group of groups.filter((g) => g.facts !== undefined)) {
  test(`a whole agent on a described machine: ${group.story}`, async () => {
    await using node = await openRecorded(group)
    assert.deepEqual(await node.amounts(), group.node)
    assert.deepEqual(node.checkpoint('cpu'), withoutChecksum(group.before?.cpuCheckpoint ?? {}))
    assert.deepEqual(node.checkpoint('memory'), withoutChecksum(group.before?.memoryCheckpoint ?? {}))
    for (const fact of group.facts ?? []) {
      const what = fact.pod ?? (fact.deleted === undefined ? 'after a restart' : `the end of ${fact.deleted}`)
      const calls = await node.act(fact)
      if (fact.runtime !== undefined) assert.deepEqual(sorted(calls), sorted(fact.runtime), what)
      if (fact.pod !== undefined) {
        const pod = await node.pod(fact.pod)
        const { phase, reason, message } = pod.status ?? {}
        assert.deepEqual({ phase, reason, message }, { phase: fact.phase, reason: fact.reason, message: fact.message }, what)
        if (fact.podResources !== undefined) {
          const [own, theirs] = [node.podResources(pod), fact.podResources].map((r) => JSON.stringify(inOrder(r)))
          assert.equal(own, theirs, what)
        }
        if (fact.events !== undefined) assert.deepEqual(await node.events(fact.pod), fact.events, what)
      }
      if (fact.cpuCheckpoint !== undefined) assert.deepEqual(node.checkpoint('cpu'), withoutChecksum(fact.cpuCheckpoint), what)
      if (fact.memoryCheckpoint !== undefined) assert.deepEqual(node.checkpoint('memory'), withoutChecksum(fact.memoryCheckpoint), what)
    }
  })
}

/** The order of CPUs is that of a map. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.every((v) => typeof v === 'number') ? value.toSorted((a, b) => a - b) : value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, inOrder(v)]))
}

const said = (line: string, before: string): string | undefined => {
  const at = line.indexOf(before)
  return at < 0 ? undefined : (JSON.parse(line.slice(at + before.length)) as string)
}

const deps = { clock: systemClock, log: silentLogger }

test('a configuration with which the kubelet does not start is refused in its words', () => {
  const refused = groups.filter((g) => g.refusesToStart !== undefined)
  assert.ok(refused.length >= 5)
  for (const group of refused) {
    const line = group.refusesToStart?.find((l) => l.startsWith('"command failed"')) ?? ''
    const message = said(line, 'err=')?.replace('failed to run Kubelet: ', '')
    assert.throws(
      () => openTopology(initOf(group), deps),
      (error) => error instanceof KubeletStartError && error.message === message,
      group.story,
    )
  }
})

const REPEATED: Readonly<Record<string, { readonly change?: object; readonly checkpoint?: (text: string) => string }>> = {
  'policy none': { change: { cpuManagerPolicy: 'none' } },
  'other reserved cpus': { change: { reservedSystemCPUs: '0-6' } },
  'another option': { change: { reservedSystemCPUs: '0,4', cpuManagerPolicyOptions: { 'full-pcpus-only': 'true' } } },
  'a checkpoint with a wrong checksum': { checkpoint: (text) => text.replace(/"checksum":\d+/, '"checksum":1') },
  'a checkpoint that is not JSON': { checkpoint: () => 'not json' },
}

test('a state that does not fit the configuration is refused in the words of the kubelet, and stays as it is', async () => {
  let compared = 0
  for (const group of groups.filter((g) => g.startedAgainWith !== undefined)) {
    await using node = await openRecorded(group)
    for (const fact of group.facts ?? []) await node.act(fact)
    const text = node.init.checkpoints.cpu.read() ?? ''
    for (const { change, error } of group.startedAgainWith ?? []) {
      const how = REPEATED[change]
      assert.ok(how, change)
      const next = initOf({ ...group, kubeletConfiguration: { ...group.kubeletConfiguration, ...how.change } })
      const left = how.checkpoint?.(text) ?? text
      next.checkpoints.cpu.write(left)
      next.checkpoints.memory.write(node.init.checkpoints.memory.read() ?? '')
      const message = said(error.at(-1) ?? '', 'err=')
      assert.throws(() => openTopology(next, deps), { name: 'KubeletStartError', message: message ?? '' }, change)
      assert.equal(next.checkpoints.cpu.read(), left)
      compared++
    }
  }
  assert.ok(compared >= 5)
})

test('pods keep their allocations after a restart of the agent, and the runtime gets them again', async () => {
  const group = groups.find((g) => g.story === 'memory-static-restricted')
  assert.ok(group)
  await using node = await openRecorded(group)
  for (const fact of group.facts ?? []) await node.act(fact)
  const [cpu, memory] = [node.checkpoint('cpu'), node.checkpoint('memory')]
  const calls = await node.act({ afterRestart: true })
  assert.deepEqual([node.checkpoint('cpu'), node.checkpoint('memory')], [cpu, memory])
  assert.ok(calls.length > 0 && calls.every((c) => c.call === 'UpdateContainerResources' && c.cpuset_cpus !== undefined))
  for (const fact of group.facts ?? []) {
    if (fact.phase === 'Running' && fact.pod !== 'ten')
      assert.equal((await node.pod(fact.pod ?? '')).status?.phase, 'Running', fact.pod ?? '')
  }
  const amounts = node.topology().memory?.nodes
  assert.ok([...(amounts?.values() ?? [])].every((n) => [...n.amounts.values()].every((a) => a.free + a.reserved === a.allocatable)))
})
