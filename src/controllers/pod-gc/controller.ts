import { timestamp } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { NODES, PODS } from '../../sdk/client/refs.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { podsOnNode } from '../frame/indexes.ts'
import { synced } from '../frame/informer-set.ts'
import { isFinished } from '../pods/pod-state.ts'
import { isOutOfService, planPodGc, type StrandedPod } from './plan.ts'
import { PodsInQuestion } from './pods-in-question.ts'

/** As upstream: every 20 s, and a node has to be missing for 40 s before its pods are taken away. */
const PERIOD_MS = 20_000
const QUARANTINE_MS = 40_000

/** Takes away pods that no node agent will. */
export function createPodGcController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const pods = informers.of(PODS)
  const nodes = informers.of(NODES)
  const missingSince = new Map<string, number>()

  const question = new PodsInQuestion()
  pods.addHandler({ added: (pod) => question.saw(pod), updated: (pod) => question.saw(pod), deleted: (pod) => question.gone(pod) })

  /** What there is to judge: of a hundred thousand pods that run on nodes which are there, none. */
  function look(): { readonly pods: readonly KubeObject[]; readonly nodes: ReadonlySet<string> } {
    const names = new Set(nodes.list().map((n) => n.metadata.name ?? ''))
    const bereft = new Map<string, readonly KubeObject[]>()
    for (const name of question.placesWithout(names)) {
      const left = podsOnNode(pods, name)
      if (left.length > 0) bereft.set(name, left)
      else question.leave(name)
    }
    for (const name of [...missingSince.keys()]) if (!bereft.has(name)) missingSince.delete(name)
    for (const name of bereft.keys()) {
      const since = missingSince.get(name) ?? clock.now()
      missingSince.set(name, since)
      if (clock.now() - since < QUARANTINE_MS) names.add(name)
    }
    const asked = question.keys().flatMap((key) => pods.get(key) ?? [])
    return { pods: [...new Set([...asked, ...[...bereft.values()].flat()])], nodes: names }
  }

  /** Who watches sees an end before the pod is gone. */
  async function fail({ pod, why }: StrandedPod): Promise<void> {
    const { namespace = '', name = '', uid } = pod.metadata
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
      lastTransitionTime: timestamp(clock.now()),
      ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    }
    const status = { phase: 'Failed', ...(why === 'orphaned' ? { conditions: [condition] } : {}) }
    const identity = uid === undefined ? {} : { metadata: { uid } }
    await client.patch({ ...PODS, namespace, name, subresource: 'status' }, 'strategic', { ...identity, status })
  }

  async function remove(stranded: StrandedPod): Promise<void> {
    const { pod } = stranded
    const { namespace = '', name = '', uid } = pod.metadata
    try {
      if (!isFinished(pod)) await fail(stranded)
    } catch (error) {
      if (!isStatus(error, 'NotFound', 'Conflict')) log.warn('a stranded pod could not be marked as failed', { pod: name, error })
      return
    }
    const options = { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { preconditions: { uid } }) }
    await client.delete({ ...PODS, namespace, name }, options).catch((error) => {
      if (!isStatus(error, 'NotFound', 'Conflict')) log.warn('a stranded pod could not be deleted', { pod: name, error })
    })
  }

  return {
    name: 'pod-gc',
    async run(signal) {
      if (!(await synced([pods.synced, nodes.synced], signal))) return
      while (!signal.aborted) {
        const outOfService = new Set(
          nodes
            .list()
            .filter(isOutOfService)
            .map((n) => n.metadata.name ?? ''),
        )
        for (const stranded of planPodGc({ ...look(), outOfService })) await remove(stranded)
        await clock.sleep(PERIOD_MS, signal).catch(() => {})
      }
    },
  }
}
