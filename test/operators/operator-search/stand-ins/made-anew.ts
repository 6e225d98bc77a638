/** RabbitMQ's operator: between two looks into its cache, the object that it is deleting goes; "create or update" then makes it anew. */

import { isStatus } from '../../../../src/machinery/status-error.ts'
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import { DATABASES, ensure, FINALIZER, live, ownedBy, remove, setFinalizer, standIn } from '../stand-in.ts'

export const madeAnew = (mended: boolean) =>
  standIn([CONFIG_MAPS], async ({ database, client, cached }) => {
    const { apiVersion, kind } = database
    const { namespace = '', name = '', uid, deletionTimestamp, finalizers = [] } = database.metadata
    const own = { ...CONFIG_MAPS, namespace, name }
    if (deletionTimestamp === undefined) {
      await setFinalizer(client, database, true)
      return ensure(client, own, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences: ownedBy(database) } })
    }
    if (!finalizers.includes(FINALIZER)) return
    const map = await live(client, own)
    const isOwn = map === undefined || map.metadata.ownerReferences?.some((owner) => owner.uid === uid)
    if (isOwn) await remove(client, own, map?.metadata.uid === undefined ? undefined : { uid: map.metadata.uid })
    const now = cached(DATABASES).find(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
    // The mistake: what is being deleted may have gone since the first look.
    if (now === undefined && !mended) await client.create({ ...DATABASES, namespace }, { apiVersion, kind, metadata: { name } })
    if (now === undefined) return
    await setFinalizer(client, database, false).catch((error: unknown) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
  })
