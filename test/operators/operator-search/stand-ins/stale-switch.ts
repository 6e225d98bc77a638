/** yugabyte #35: a restart on the view in which a part was off deletes what was made when it was on again. */
import { SECRETS } from '../../../../src/resources/refs.ts'
import { DATABASES, type Database, ensure, live, ownedBy, remove, standIn } from '../stand-in.ts'

export const staleSwitch = (mended: boolean) =>
  standIn([SECRETS], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = { ...SECRETS, namespace, name: `${name}-tls` }
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: own.name, ownerReferences: ownedBy(database) } }
    if (database.spec?.tls === true) return ensure(client, own, secret)
    // The mistake: what is to be deleted is decided by a copy that may be old.
    const now = mended ? ((await live(client, { ...DATABASES, namespace, name })) as Readonly<Database> | undefined) : database
    if (now?.spec?.tls !== true) await remove(client, own)
  })
