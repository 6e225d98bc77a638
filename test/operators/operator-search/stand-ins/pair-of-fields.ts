/** Two fields that act on each other: the port of metrics is carried over only when metrics are switched on. */
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import type { ConfigMap } from '../../../../src/resources/types/core.ts'
import { live, ownedBy, remove, standIn } from '../stand-in.ts'

export const pairOfFields = (mended: boolean) =>
  standIn([CONFIG_MAPS], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = { ...CONFIG_MAPS, namespace, name: `${name}-metrics` }
    const { metrics, port = 9000 } = (database.spec ?? {}) as { readonly metrics?: boolean; readonly port?: number }
    if (metrics !== true) return remove(client, own)
    // The mistake: what is there is not brought up to date.
    if (!mended && (await live(client, own)) !== undefined) return
    const metadata = { name: own.name, ownerReferences: ownedBy(database) }
    const map: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { port: String(port) } }
    await client.patch(own, 'apply', map, { fieldManager: 'databases', force: true })
  })
