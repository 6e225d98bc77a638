/**
 * A rollout, a drain within a budget, a node's loss and its return, as operators see them: one in TypeScript in this process, one with
 * controller-runtime as a separate process.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { VirtualClock } from '../../src/base/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { NODES, PODS } from '../../src/resources/refs.ts'
import type { Node, Pod } from '../../src/resources/types/core.ts'
import { createManager } from '../../src/sdk/operator/manager.ts'
import { controller, kinds } from '../../src/sdk/sdk.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { goPrograms } from '../go-program.ts'
import { installed } from '../walked-page.ts'

const LONG = { timeoutMs: 90_000 }

/** The transitions that both have to see, in this order. */
const TURNS = [
  'web is out: nginx:1',
  'web is out: nginx:2',
  'node-1 is ready: True, cordoned: true',
  'pods are on node-2',
  'node-1 is ready: True, cordoned: false',
  'node-2 is ready: Unknown, cordoned: false',
  'pods are on node-1',
  'node-2 is ready: True, cordoned: false',
]

const conditionOf = ({ status }: Node | Pod, type: string) => status?.conditions?.find((c) => c.type === type)?.status

/** Records each transition once, as `go/witness.go` does. */
function witness(cluster: Cluster, turns: string[], signal: AbortSignal): Promise<void> {
  const last = new Map<string, string>()
  const say = (what: string, state: string) => {
    if (last.get(what) === state) return
    last.set(what, state)
    turns.push(`${what} ${state}`)
  }
  const client = cluster.client()
  const deployments = controller({
    for: kinds.DEPLOYMENT,
    reconcile: ({ object: { metadata, spec, status } }) => {
      const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas]
      if (status?.observedGeneration === metadata.generation && counts.every((n) => n === spec?.replicas))
        say(metadata.name ?? '', `is out: ${spec?.template.spec.containers[0]?.image}`)
      return undefined
    },
  })
  const nodes = controller({
    for: kinds.NODE,
    reconcile: ({ object }) => {
      say(object.metadata.name ?? '', `is ready: ${conditionOf(object, 'Ready')}, cordoned: ${object.spec?.unschedulable === true}`)
      return undefined
    },
  })
  const pods = controller({
    for: kinds.POD,
    reconcile: async () => {
      const { items } = await client.list({ ...PODS, namespace: 'default' }, { labelSelector: 'app=web' })
      const ready = items.filter((p) => p.metadata.deletionTimestamp === undefined && conditionOf(p, 'Ready') === 'True')
      const names = [...new Set(ready.map((p) => p.spec?.nodeName))].sort()
      if (ready.length === 4) say('pods', `are on ${names.join(' and ')}`)
      else if (ready.length < 3) say('pods', 'are too few')
      return undefined
    },
  })
  return createManager({ client, controllers: [deployments, nodes, pods] }).run(signal)
}

/** Whether the list contains these in this order, with any others between them. */
function inOrder(turns: readonly string[], wanted: readonly string[]): boolean {
  let from = 0
  return wanted.every((w) => {
    const at = turns.indexOf(w, from)
    from = at + 1
    return at >= 0
  })
}

async function disrupt(
  t: TestContext,
  watched: (cluster: Cluster, folder: string, turns: string[], stop: AbortSignal) => Promise<unknown>,
) {
  const clock = new VirtualClock(Date.now())
  await using cluster = await startCluster({ nodes: 2 }, { clock })
  const stop = new AbortController()
  const { sh, folder } = await installed(t, cluster)
  const time = (async () => {
    while (!stop.signal.aborted) {
      await clock.advance(1000)
      await pause(10)
    }
  })()
  const turns: string[] = []
  const watching = watched(cluster, folder, turns, stop.signal)
  const turn = (n: number) => waitFor(() => inOrder(turns, TURNS.slice(0, n)), { ...LONG, what: `turn ${n} of: ${turns.join('; ')}` })
  try {
    await sh('kubectl create deployment web --image=nginx:1 --replicas=4; kubectl create pdb web --selector=app=web --min-available=3')
    await turn(1)
    await sh("kubectl set image deployment/web '*=nginx:2'")
    await turn(2)
    // Only evictions respect the budget: a rollout and a lost node do not.
    const settled = turns.length
    const drained = await sh('kubectl drain node-1 --ignore-daemonsets')
    assert.equal(drained.code, 0, drained.err)
    await turn(4)
    assert.ok(!turns.slice(settled).includes('pods are too few'), turns.join('; '))
    await sh('kubectl uncordon node-1')
    await turn(5)
    await cluster.node('node-2').lose()
    await turn(7)
    let writes = 0
    const counted = (async () => {
      for await (const events of cluster.client().watch({ ...NODES, name: 'node-2' }, { signal: stop.signal })) writes += events.length
    })().catch(() => {})
    await cluster.node('node-2').recover()
    await turn(8)
    await clock.advance(20_000)
    assert.ok(writes < 12, `${writes} writes of a node that was found again: somebody is not of one mind`)
    stop.abort()
    await counted
  } finally {
    stop.abort()
    await time
    await watching
  }
}

test('an operator in TypeScript sees a rollout, a drain, a lost node and its return', (t) =>
  disrupt(t, (cluster, _, turns, stop) => witness(cluster, turns, stop)))

test('an operator of controller-runtime sees the same', async (t) => {
  const program = await goPrograms('clients')
  if (program.why !== undefined) return t.skip(program.why)
  await disrupt(t, async (_, folder, turns, stop) => {
    const child = spawn(path.join(program.bin, 'clients'), ['witness'], {
      env: { ...process.env, KUBECONFIG: path.join(folder, 'kubeconfig') },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    createInterface({ input: child.stdout }).on('line', (line) => turns.push(line))
    stop.addEventListener('abort', () => child.kill(), { once: true })
    await once(child, 'close')
  })
})
