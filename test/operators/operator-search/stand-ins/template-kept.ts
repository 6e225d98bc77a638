/** redis rdoptwo-280: the template of the claims of a running set is not changed with its field, since the API server refuses that. */
import { STATEFUL_SETS } from '../../../../src/resources/refs.ts'
import type { StatefulSet } from '../../../../src/resources/types/apps.ts'
import { claim, DATABASES, type Database, live, members, standIn } from '../stand-in.ts'

export const templateKept = (mended: boolean) =>
  standIn([STATEFUL_SETS], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = { ...STATEFUL_SETS, namespace, name }
    // What is deleted must not depend on an old view.
    const current = (await live(client, { ...DATABASES, namespace, name })) as Readonly<Database> | undefined
    if (current === undefined) return
    const { size = '1Gi' } = (current.spec?.storage ?? {}) as { readonly size?: string }
    const volumeClaimTemplates = [claim('data', size)]
    const set = members(current)
    const now = (await live(client, own)) as Readonly<StatefulSet> | undefined
    const kept = now?.spec?.volumeClaimTemplates
    const uid = now?.metadata.uid ?? ''
    const isOwn = now?.metadata.ownerReferences?.[0]?.uid === current.metadata.uid
    if (mended && isOwn && sizeOf(kept) !== size)
      return void (await client.delete(own, { propagationPolicy: 'Orphan', preconditions: { uid } }))
    // The mistake: what cannot be changed is left as it is.
    const spec = { ...set.spec, volumeClaimTemplates: kept ?? volumeClaimTemplates } as StatefulSet['spec']
    await client.patch(own, 'apply', { ...set, spec }, { fieldManager: 'databases', force: true })
  })

const sizeOf = (templates: NonNullable<StatefulSet['spec']>['volumeClaimTemplates']) => templates?.[0]?.spec?.resources?.requests?.storage
