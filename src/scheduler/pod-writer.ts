import { type Clock, timestamp } from '../base/clock.ts'
import { ignoring } from '../machinery/ignoring.ts'
import type { JsonObject } from '../machinery/object.ts'
import { PODS } from '../resources/refs.ts'
import type { Pod } from '../resources/types/core.ts'
import type { Client } from '../sdk/client/client.ts'
import type { PodInfo } from './cache/pod-info.ts'
import { LONGEST_MESSAGE, shortText } from './framework/short-text.ts'

/** What the scheduler writes of pods beside their binding: conditions, nominations, and the deletion of victims. */
export interface PodWriter {
  /** Writes the condition PodScheduled=False, and the nomination when it is given; nothing when nothing changed. */
  refuse(info: PodInfo, why: { readonly reason: string; readonly message: string; readonly nominated: string | undefined }): Promise<void>
  clearNomination(info: PodInfo): Promise<void>
  /** Writes the nominated node, before a step that may take long. */
  nominate(info: PodInfo, node: string): Promise<void>
  evict(victim: PodInfo, schedulerName: string): Promise<void>
}

export function createPodWriter(client: Client, clock: Clock, latest: (key: string) => Readonly<Pod> | undefined): PodWriter {
  const target = (info: PodInfo) => ({ ...PODS, namespace: info.namespace, name: info.pod.metadata.name ?? '' })
  const patchStatus = async (info: PodInfo, status: JsonObject) => {
    await client
      .patch({ ...target(info), subresource: 'status' }, 'strategic', { metadata: { uid: info.uid }, status })
      .catch(ignoring('NotFound', 'Conflict'))
  }
  /** The last write, which the watch may not have reported yet. */
  const nominated = new WeakMap<PodInfo, string>()
  return {
    async refuse(info, { reason, message: whole, nominated: promise }) {
      const message = shortText(whole, LONGEST_MESSAGE)
      const pod = latest(info.key) ?? info.pod
      const old = (pod.status?.conditions ?? []).find((c) => c.type === 'PodScheduled')
      const sameCondition = old !== undefined && old.status === 'False' && old.reason === reason && old.message === message
      const sameNomination = promise === undefined || (nominated.get(info) ?? pod.status?.nominatedNodeName ?? '') === promise
      if (sameCondition && sameNomination) return
      const { generation } = pod.metadata
      const condition: WrittenCondition = {
        type: 'PodScheduled',
        status: 'False',
        reason,
        message,
        lastProbeTime: null,
        lastTransitionTime: old?.status === 'False' && old.lastTransitionTime ? old.lastTransitionTime : timestamp(clock.now()),
        ...(generation === undefined ? {} : { observedGeneration: generation }),
      }
      const nomination: JsonObject = sameNomination ? {} : { nominatedNodeName: promise === '' ? null : (promise ?? null) }
      if (promise !== undefined) nominated.set(info, promise)
      await patchStatus(info, { ...conditionOf(pod, condition), ...nomination })
    },
    async clearNomination(info) {
      nominated.set(info, '')
      await patchStatus(info, { nominatedNodeName: null })
    },
    // The known state of the pod may precede the withdrawal of an earlier nomination.
    async nominate(info, node) {
      nominated.set(info, node)
      await patchStatus(info, { nominatedNodeName: node })
    },
    async evict(victim, schedulerName) {
      if (!victim.terminating) {
        const condition: WrittenCondition = {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'PreemptionByScheduler',
          message: `${schedulerName}: preempting to accommodate a higher priority pod`,
          lastTransitionTime: timestamp(clock.now()),
          ...(victim.pod.metadata.generation === undefined ? {} : { observedGeneration: victim.pod.metadata.generation }),
        }
        await patchStatus(victim, conditionOf(latest(victim.key) ?? victim.pod, condition))
      }
      await client.delete(target(victim), { preconditions: { uid: victim.uid } }).catch(ignoring('NotFound', 'Conflict'))
    },
  }
}

/** A condition with the order of all, so that a new one comes last. */
function conditionOf({ status }: Readonly<Pod>, condition: WrittenCondition): JsonObject {
  const types = new Set([...(status?.conditions ?? []).map((c) => c.type), condition.type])
  return { '$setElementOrder/conditions': [...types].map((type) => ({ type })), conditions: [condition] }
}

/** A condition as a patch writes it: `null` removes a field. */
type WrittenCondition = JsonObject & { readonly type: string }
