import { messageOf } from '../../base/message-of.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus, isTerminatingNamespace } from '../../machinery/status-error.ts'
import { PODS } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { createObject, deleteObject } from '../frame/objects.ts'
import { slowStart } from './slow-start.ts'

/** Creates and deletes the pods of an owner, and records that as events. */
export interface PodControl {
  /** Resolves with how many it created, and the first failure. A namespace that is being deleted, where nothing can be created, is none. */
  create(owner: KubeObject, count: number, podOf: (i: number) => Pod): Promise<{ readonly done: number; readonly error?: unknown }>
  remove(owner: KubeObject, pod: Pod): Promise<void>
}

export function createPodControl(client: Client, events: ObjectEvents): PodControl {
  return {
    create(owner, count, podOf) {
      return slowStart(count, async (i) => {
        try {
          const pod = await createObject(client, PODS, podOf(i))
          events.normal(owner, 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`)
        } catch (failure) {
          if (isTerminatingNamespace(failure)) return
          events.warning(owner, 'FailedCreate', `Error creating: ${messageOf(failure)}`)
          throw failure
        }
      })
    },
    async remove(owner, pod) {
      try {
        await deleteObject(client, PODS, pod)
        events.normal(owner, 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`)
      } catch (error) {
        if (isStatus(error, 'NotFound')) return
        events.warning(owner, 'FailedDelete', `Error deleting: ${messageOf(error)}`)
        throw error
      }
    },
  }
}
