/** zookeeper zkop-547: an unsatisfiable node selector is taken back, and the pending member keeps it for ever. */
import { PODS, STATEFUL_SETS } from '../../../../src/resources/refs.ts'
import type { Pod } from '../../../../src/resources/types/core.ts'
import { members, remove, standIn } from '../stand-in.ts'

export const stuckMember = (mended: boolean) =>
  standIn([STATEFUL_SETS, PODS], async ({ database, client, cached }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = { ...STATEFUL_SETS, namespace, name }
    const set = members(database)
    await client.patch(own, 'apply', set, { fieldManager: 'databases', force: true })
    if (!mended) return
    // An ordered rollout waits for the pending member, which is of the old revision.
    for (const pod of cached(PODS) as readonly Readonly<Pod>[]) {
      const selector = JSON.stringify(pod.spec?.nodeSelector ?? {})
      if (pod.status?.phase === 'Pending' && selector !== JSON.stringify(database.spec?.nodeSelector ?? {}))
        await remove(client, { ...PODS, namespace, name: pod.metadata.name ?? '' }, { uid: pod.metadata.uid ?? '' })
    }
  })
