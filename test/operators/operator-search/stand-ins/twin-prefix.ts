/** What belongs to an object is known by the beginning of its name, and so is what belongs to another one. */
import { PERSISTENT_VOLUME_CLAIMS } from '../../../../src/resources/refs.ts'
import { claim, DATABASES, ensure, FINALIZER, live, remove, setFinalizer, standIn } from '../stand-in.ts'

export const twinPrefix = (mended: boolean) =>
  standIn([], async ({ database, client }) => {
    const { namespace = '', name = '', uid, finalizers = [], deletionTimestamp } = database.metadata
    const target = (own: string) => ({ ...PERSISTENT_VOLUME_CLAIMS, namespace, name: own })
    if (deletionTimestamp === undefined) {
      await setFinalizer(client, database, true)
      return ensure(client, target(`data-${name}`), claim(`data-${name}`))
    }
    const now = await live(client, { ...DATABASES, namespace, name })
    if (!finalizers.includes(FINALIZER) || now?.metadata.uid !== uid) return
    for (const { metadata } of (await client.list(PERSISTENT_VOLUME_CLAIMS)).items) {
      const { name: own = '' } = metadata
      // The mistake: any claim of which the other one's name is the end.
      if (metadata.namespace === namespace && (mended ? own === `data-${name}` : name.startsWith(own.replace(/^data-/, ''))))
        await remove(client, target(own))
    }
    await setFinalizer(client, database, false)
  })
