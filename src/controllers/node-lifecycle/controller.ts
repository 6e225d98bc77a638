import { pause } from '../../base/pause.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import { LEASES, NODES, PODS } from '../../resources/refs.ts'
import { runListedController } from '../../sdk/controller/run-controller.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { synced } from '../frame/informer-set.ts'
import { Disruption } from './disruption.ts'
import { createNodeMetrics, zoneFamilies } from './node-metrics.ts'
import { Patrol } from './patrol.ts'
import { reconcileNode } from './reconcile.ts'
import { SignsOfLife } from './signs-of-life.ts'
import { TaintEviction } from './taint-eviction.ts'
import { evicting } from './taints.ts'

const NAME = 'node-lifecycle'
/** As kube-controller-manager's `--node-monitor-period`. */
const PERIOD_MS = 5_000

/**
 * Monitors nodes: taints that follow from conditions, `Unknown` for silent nodes, and the deletion of pods that do not tolerate the taints.
 */
export function createController({ client, clock, informers, events: eventsOf, log, activities, metrics }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const [nodes, leases, pods] = [informers.of(NODES), informers.of(LEASES), informers.of(PODS)]
  const events = eventsOf('node-controller')
  const signs = new SignsOfLife(clock, leases)
  const disruption = new Disruption(clock)
  const patrol = new Patrol({ clock, events, nodes, signs, disruption, queue })
  const eviction = new TaintEviction({ client, clock, log, nodes, pods, metrics, events: eventsOf('taint-eviction-controller') })
  nodes.addHandler({
    added({ metadata: { name = '' } }) {
      queue.add(name)
      eviction.scheduleNode(name)
    },
    updated({ metadata: { name = '' }, spec }, old) {
      queue.add(name)
      if (!semanticEqual(evicting(spec?.taints), evicting(old.spec?.taints))) eviction.scheduleNode(name)
    },
    deleted({ metadata: { name = '' } }) {
      signs.forget(name)
      patrol.forget(name)
    },
  })
  pods.addHandler({
    added: (pod) => eviction.schedule(pod),
    updated(pod, old) {
      if (pod.spec.nodeName !== old.spec.nodeName || !semanticEqual(pod.spec.tolerations, old.spec.tolerations)) eviction.schedule(pod)
    },
    deleted: (pod) => eviction.cancel(pod),
  })
  const counts = createNodeMetrics(metrics)
  metrics.read(NAME, () => zoneFamilies(disruption.counts))
  const deps = { client, clock, events, pods, signs, disruption, patrol, metrics: counts }
  const reconcile = async (name: string) => {
    const node = nodes.get(name)
    const begun = clock.monotonic()
    if (node !== undefined) await reconcileNode(deps, node)
    counts.nodeLookedAt((clock.monotonic() - begun) / 1000)
  }
  const patrolling = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const begun = clock.monotonic()
      patrol.round()
      counts.allLookedAt((clock.monotonic() - begun) / 1000)
      await pause(clock, PERIOD_MS, signal, 'heartbeat')
    }
  }
  return {
    name: NAME,
    async run(signal) {
      const ready = [nodes.synced, leases.synced, pods.synced]
      const rounds = synced(ready, signal).then((complete) => (complete ? patrolling(signal) : undefined))
      await Promise.all([runListedController({ name: NAME, queue, workers: 8, ready, reconcile, log, activities }, signal), rounds])
      eviction.close()
    },
  }
}
