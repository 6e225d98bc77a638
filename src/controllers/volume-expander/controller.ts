import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../resources/refs.ts'
import { defineController } from '../frame/define-controller.ts'
import { targetOf } from '../frame/objects.ts'
import { isAnotherSize, planExpander } from './plan.ts'

const RESIZER = 'volume.kubernetes.io/storage-resizer'

/** Reports on claims that should grow; an external resizer does the work. */
export const createController = defineController({
  name: 'volume-expander',
  for: PERSISTENT_VOLUME_CLAIMS,
  deps: ({ client, informers, events }) => ({
    client,
    events: events('volume_expand'),
    volumes: informers.of(PERSISTENT_VOLUMES),
  }),
  when: (claim, _, old) => claim.status?.phase === 'Bound' && (old === undefined || isAnotherSize(claim, old)),
  async reconcile({ client, events, volumes }, claim) {
    const plan = planExpander(claim, volumes.get(claim.spec?.volumeName ?? ''))
    if (plan.kind === 'keep') return
    events.normal(claim, 'ExternalExpanding', plan.message)
    if (plan.resizer === undefined || claim.metadata.annotations?.[RESIZER] === plan.resizer) return
    await client.patch(targetOf(PERSISTENT_VOLUME_CLAIMS, claim), 'merge', { metadata: { annotations: { [RESIZER]: plan.resizer } } })
  },
})
