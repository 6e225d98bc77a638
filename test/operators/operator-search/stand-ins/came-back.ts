/** RabbitMQ's operator: the finalizer is removed by "create or update", which makes anew what has gone meanwhile. */
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import { DATABASES, ensure, FINALIZER, live, ownedBy, remove, setFinalizer, standIn } from '../stand-in.ts'

export const cameBack = (mended: boolean) =>
  standIn([CONFIG_MAPS], async ({ database, client }) => {
    const { apiVersion, kind } = database
    const { namespace = '', name = '', uid, deletionTimestamp, finalizers = [] } = database.metadata
    const own = { ...CONFIG_MAPS, namespace, name }
    if (deletionTimestamp === undefined) {
      await setFinalizer(client, database, true)
      return ensure(client, own, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences: ownedBy(database) } })
    }
    if (!finalizers.includes(FINALIZER)) return
    const now = await live(client, { ...DATABASES, namespace, name })
    // The mistake: what is being deleted may have gone.
    if (now === undefined && !mended) await client.create({ ...DATABASES, namespace }, { apiVersion, kind, metadata: { name } })
    if (now?.metadata.uid !== uid) return
    await remove(client, own)
    await setFinalizer(client, database, false)
  })
