import { messageOf } from '../../base/message-of.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus, isTerminatingNamespace } from '../../machinery/status-error.ts'
import type { Client } from '../../sdk/client/client.ts'
import { PODS } from '../../sdk/client/refs.ts'
import { type EventRecorder, type EventType, referenceTo } from '../../sdk/controller/event-recorder.ts'
import { slowStart } from './slow-start.ts'

/** Makes and deletes the pods of an owner, and tells so in its events. */
export interface PodControl {
  /** Resolves with what went wrong first. Nothing can be made in a namespace that ends: that is no trouble. */
  create(owner: KubeObject, count: number, podOf: (i: number) => KubeObject): Promise<unknown>
  remove(owner: KubeObject, pod: KubeObject): Promise<void>
}

export function createPodControl(client: Client, events: Pick<EventRecorder, 'record'>): PodControl {
  const record = (owner: KubeObject, type: EventType, reason: string, message: string) =>
    events.record({ regarding: referenceTo(owner), type, reason, message })
  return {
    async create(owner, count, podOf) {
      const namespace = owner.metadata.namespace ?? ''
      const { error } = await slowStart(count, async (i) => {
        try {
          const pod = await client.create({ ...PODS, namespace }, podOf(i))
          record(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`)
        } catch (failure) {
          if (isTerminatingNamespace(failure)) return
          const why = messageOf(failure)
          record(owner, 'Warning', 'FailedCreate', `Error creating: ${why}`)
          throw failure
        }
      })
      return error
    },
    async remove(owner, pod) {
      const { namespace = '', name = '', uid } = pod.metadata
      try {
        await client.delete({ ...PODS, namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
        record(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`)
      } catch (error) {
        if (isStatus(error, 'NotFound')) return
        record(owner, 'Warning', 'FailedDelete', `Error deleting: ${messageOf(error)}`)
        throw error
      }
    },
  }
}
