/** zookeeper zkop-513: a switch of the storage changes what a StatefulSet keeps for ever, which the API server refuses. */
import { STATEFUL_SETS } from '../../../../src/resources/refs.ts'
import type { StatefulSet } from '../../../../src/resources/types/apps.ts'
import { DATABASES, type Database, live, members, remove, standIn } from '../stand-in.ts'

export const storageSwitched = (mended: boolean) =>
  standIn([STATEFUL_SETS], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = { ...STATEFUL_SETS, namespace, name }
    const current = (await live(client, { ...DATABASES, namespace, name })) as Readonly<Database> | undefined
    if (current === undefined) return
    const set = members(current)
    const resources = { requests: { storage: '1Gi' } }
    const template = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources } }
    const volumeClaimTemplates = current.spec?.storage === 'persistent' ? [template] : []
    const now = (await live(client, own)) as Readonly<StatefulSet> | undefined
    // The mistake: such a set has to be made anew.
    const differs = now !== undefined && (now.spec?.volumeClaimTemplates ?? []).length !== volumeClaimTemplates.length
    if (mended && differs) return remove(client, own)
    await client.patch(own, 'apply', { ...set, spec: { ...set.spec, volumeClaimTemplates } }, { fieldManager: 'databases', force: true })
  })
