/** instaclustr #402: a restart on an old view, in which the object does not exist, deletes its claims as orphans. */
import { PERSISTENT_VOLUME_CLAIMS } from '../../../../src/resources/refs.ts'
import { claim, DATABASES, ensure, live, remove, type Sweep, standIn } from '../stand-in.ts'

/** The uid of the database. */
const OWNER = 'example.com/database'

export const orphanClaims = (mended: boolean) => {
  const sweep: Sweep = async ({ client, cached }) => {
    for (const { metadata } of cached(PERSISTENT_VOLUME_CLAIMS)) {
      const { namespace = '', name = '', uid = '', annotations } = metadata
      const owner = annotations?.[OWNER]
      if (owner === undefined || cached(DATABASES).some((d) => d.metadata.uid === owner)) continue
      // The mistake: what is not in the cache may exist.
      const now = mended ? await live(client, { ...DATABASES, namespace, name: name.replace(/^data-/, '') }) : undefined
      if (now?.metadata.uid !== owner) await remove(client, { ...PERSISTENT_VOLUME_CLAIMS, namespace, name }, { uid })
    }
  }
  return standIn(
    [PERSISTENT_VOLUME_CLAIMS],
    async ({ database, client }) => {
      const { namespace = '', name = '', uid = '' } = database.metadata
      const { metadata, ...rest } = claim(`data-${name}`)
      const own = { ...PERSISTENT_VOLUME_CLAIMS, namespace, name: metadata.name ?? '' }
      await ensure(client, own, { ...rest, metadata: { ...metadata, annotations: { [OWNER]: uid } } })
    },
    sweep,
  )
}
