/** zookeeper #312: a restart on an old view, in which the first object is being deleted, deletes the claims of the second. */
import { PERSISTENT_VOLUME_CLAIMS } from '../../../../src/resources/refs.ts'
import { claim, DATABASES, ensure, live, remove, setFinalizer, standIn } from '../stand-in.ts'

export const staleClaims = (mended: boolean) =>
  standIn([PERSISTENT_VOLUME_CLAIMS], async ({ database, client }) => {
    const { namespace = '', name = '', uid, deletionTimestamp } = database.metadata
    const own = { ...PERSISTENT_VOLUME_CLAIMS, namespace, name: `data-${name}` }
    if (deletionTimestamp === undefined) {
      await setFinalizer(client, database, true)
      return ensure(client, own, claim(own.name))
    }
    // The mistake: claims are found by their name, which the next database has too.
    if (mended && (await live(client, { ...DATABASES, namespace, name }))?.metadata.uid !== uid) return
    await remove(client, own)
    await setFinalizer(client, database, false)
  })
