/** redis rdoptwo-480: an affinity that no node satisfies is taken back, and the pending member keeps it for ever. */
import { PODS, STATEFUL_SETS } from '../../../../src/resources/refs.ts'
import type { Affinity, Pod } from '../../../../src/resources/types/core.ts'
import { members, remove, standIn } from '../stand-in.ts'

export const stuckAffinity = (mended: boolean) =>
  standIn([STATEFUL_SETS, PODS], async ({ database, client, cached }) => {
    const { namespace = '', name = '' } = database.metadata
    const { affinity } = (database.spec?.leader ?? {}) as { readonly affinity?: Affinity }
    const set = members(database)
    const template = { ...set.spec?.template, spec: { ...set.spec?.template.spec, ...(affinity && { affinity }) } }
    const own = { ...STATEFUL_SETS, namespace, name }
    await client.patch(own, 'apply', { ...set, spec: { ...set.spec, template } }, { fieldManager: 'databases', force: true })
    // The mistake: nothing deletes the member for which an ordered rollout waits.
    if (!mended) return
    for (const pod of cached(PODS) as readonly Readonly<Pod>[])
      if (pod.status?.phase === 'Pending' && (pod.spec?.affinity === undefined) !== (affinity === undefined))
        await remove(client, { ...PODS, namespace, name: pod.metadata.name ?? '' }, { uid: pod.metadata.uid ?? '' })
  })
