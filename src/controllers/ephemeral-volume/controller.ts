import { messageOf } from '../../base/message-of.ts'
import { isTerminatingNamespace } from '../../machinery/status-error.ts'
import { PERSISTENT_VOLUME_CLAIMS, PODS } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'
import { defineController } from '../frame/define-controller.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { createObject } from '../frame/objects.ts'
import { hasEphemeralVolumes, planEphemeralVolumes, podsOfClaim } from './plan.ts'

/** Creates the claims of ephemeral volumes. They are owned by their pod, and deleted with it. */
export const createController = defineController({
  name: 'ephemeral-volume',
  for: PODS,
  workers: 5,
  deps: ({ client, informers, events, metrics }) => ({
    client,
    attempts: metrics.counter({ name: 'ephemeral_volume_controller_create_total', help: 'Claims that were to be created.' }),
    failures: metrics.counter({ name: 'ephemeral_volume_controller_create_failures_total', help: 'Those that could not be.' }),
    claims: informers.of(PERSISTENT_VOLUME_CLAIMS),
    events: events('ephemeral_volume'),
  }),
  when: hasEphemeralVolumes,
  watch({ claims }, keys) {
    claims.addHandler({
      // Another's claim may have been in the way.
      deleted({ metadata: { namespace, name = '' } }) {
        for (const pod of podsOfClaim(name)) keys.add(`${namespace}/${pod}`)
      },
    })
  },
  async reconcile({ client, claims, events, attempts, failures }, pod) {
    for (const plan of planEphemeralVolumes(pod, (name) => claims.get(`${pod.metadata.namespace}/${name}`))) {
      if (plan.kind === 'taken') throw bindingFailure(events, pod, plan.volume, plan.message)
      attempts.add()
      try {
        await createObject(client, PERSISTENT_VOLUME_CLAIMS, plan.claim)
      } catch (error) {
        failures.add()
        if (isTerminatingNamespace(error)) return
        throw bindingFailure(events, pod, plan.volume, `create PVC ${plan.claim.metadata.name}: ${messageOf(error)}`)
      }
    }
  },
})

function bindingFailure(events: ObjectEvents, pod: Pod, volume: string, why: string): Error {
  const message = `ephemeral volume ${volume}: ${why}`
  events.warning(pod, 'FailedBinding', message)
  return new Error(message)
}
