/** casskop #316: a restart on an old view, in which the first object is being deleted, deletes all claims with the cluster's label. */
import { PERSISTENT_VOLUME_CLAIMS } from '../../../../src/resources/refs.ts'
import { claim, DATABASES, ensure, live, setFinalizer, standIn } from '../stand-in.ts'

export const labelClaims = (mended: boolean) =>
  standIn([], async ({ database, client }) => {
    const { namespace = '', name = '', uid, deletionTimestamp } = database.metadata
    const claims = { ...PERSISTENT_VOLUME_CLAIMS, namespace }
    if (deletionTimestamp === undefined) {
      await setFinalizer(client, database, true)
      for (const own of [`rack-1-${name}`, `rack-2-${name}`]) {
        const { metadata, ...rest } = claim(own)
        await ensure(client, { ...claims, name: own }, { ...rest, metadata: { ...metadata, labels: { cluster: name } } })
      }
      return
    }
    // The mistake: the label has the name of the cluster, which the next one has too.
    if (mended && (await live(client, { ...DATABASES, namespace, name }))?.metadata.uid !== uid) return
    await client.deleteCollection(claims, { labelSelector: `cluster=${name}` })
    await setFinalizer(client, database, false)
  })
