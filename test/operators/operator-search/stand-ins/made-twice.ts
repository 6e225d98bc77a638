/** A backup with a generated name is made if the cache has none: one that lags behind has none yet. */
import { CONFIG_MAPS, SECRETS } from '../../../../src/resources/refs.ts'
import { ensure, ownedBy, standIn } from '../stand-in.ts'

export const madeTwice = (mended: boolean) =>
  standIn([CONFIG_MAPS, SECRETS], async ({ database, client, cached }) => {
    const { namespace = '', name = '', uid } = database.metadata
    const metadata = { ownerReferences: ownedBy(database) }
    const own = { ...SECRETS, namespace, name }
    await ensure(client, own, { apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, name } })
    const maps = { ...CONFIG_MAPS, namespace }
    // The mistake: the cache is not the cluster.
    const known = mended ? (await client.list(maps)).items : cached(CONFIG_MAPS)
    if (known.some((map) => map.metadata.ownerReferences?.[0]?.uid === uid)) return
    await client.create(maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, generateName: `${name}-backup-` } })
  })
