/** An upgrade is under way as long as its phase says so; only the run that began it ends it. */
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import { DATABASES, ownedBy, standIn } from '../stand-in.ts'

export const upgradeStuck = (mended: boolean) =>
  standIn([], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const { phase, version } = (database.status ?? {}) as { readonly phase?: string; readonly version?: string }
    const wanted = String(database.spec?.version)
    const status = (now: object) => client.patch({ ...DATABASES, namespace, name, subresource: 'status' }, 'merge', { status: now })
    if (version === wanted && phase === 'Ready') return
    // The mistake: after a crash no work is done.
    if (phase === 'Upgrading' && !mended) return
    await status({ phase: 'Upgrading' })
    const metadata = { name, ownerReferences: ownedBy(database) }
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { version: wanted } }
    await client.patch({ ...CONFIG_MAPS, namespace, name }, 'apply', map, { fieldManager: 'databases', force: true })
    await status({ phase: 'Ready', version: wanted })
  })
