/** A deletion needs the password, which it deletes before it removes the finalizer: after a crash between them it never ends. */
import { SECRETS } from '../../../../src/resources/refs.ts'
import { DATABASES, ensure, live, remove, setFinalizer, standIn } from '../stand-in.ts'

export const deletionStuck = (mended: boolean) =>
  standIn([], async ({ database, client }) => {
    const { namespace = '', name = '', uid, deletionTimestamp } = database.metadata
    const own = { ...SECRETS, namespace, name: `${name}-admin` }
    if (deletionTimestamp === undefined) {
      await setFinalizer(client, database, true)
      return ensure(client, own, { apiVersion: 'v1', kind: 'Secret', metadata: { name: own.name } })
    }
    if ((await live(client, { ...DATABASES, namespace, name }))?.metadata.uid !== uid) return
    // The mistake: a part of the work that is done already is taken for an error.
    if ((await live(client, own)) === undefined && !mended) throw new Error('no password to sign off with')
    await remove(client, own)
    await setFinalizer(client, database, false)
  })
