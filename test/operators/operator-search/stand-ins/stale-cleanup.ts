/** xtradb K8SPXC-716: a restart on an old view, in which the first object is being deleted, deletes claim and secret of the second. */
import { PERSISTENT_VOLUME_CLAIMS, SECRETS } from '../../../../src/resources/refs.ts'
import { claim, DATABASES, ensure, live, remove, setFinalizer, standIn } from '../stand-in.ts'

export const staleCleanup = (mended: boolean) =>
  standIn([SECRETS], async ({ database, client }) => {
    const { namespace = '', name = '', uid, deletionTimestamp } = database.metadata
    const users = { ...SECRETS, namespace, name: `${name}-users` }
    const data = { ...PERSISTENT_VOLUME_CLAIMS, namespace, name: `datadir-${name}` }
    if (deletionTimestamp === undefined) {
      await setFinalizer(client, database, true)
      await ensure(client, users, { apiVersion: 'v1', kind: 'Secret', metadata: { name: users.name } })
      return ensure(client, data, claim(data.name))
    }
    // The mistake: the finalizer runs for whatever has the name.
    if (mended && (await live(client, { ...DATABASES, namespace, name }))?.metadata.uid !== uid) return
    for (const own of [data, users]) await remove(client, own)
    await setFinalizer(client, database, false)
  })
