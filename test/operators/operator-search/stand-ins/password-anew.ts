/** A restart makes a new password, which the members do not know. */
import { SECRETS } from '../../../../src/resources/refs.ts'
import { live, ownedBy, standIn } from '../stand-in.ts'

export const passwordAnew = (mended: boolean) =>
  standIn([], async ({ database, client, life }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = { ...SECRETS, namespace, name }
    const there = await live(client, own)
    // The mistake: what was made in an earlier run is not looked for.
    if (there !== undefined && (mended || seen.has(life))) return
    seen.add(life)
    const password = String(life.random.next()).slice(2, 7)
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, ownerReferences: ownedBy(database) }, stringData: { password } }
    await client.patch(own, 'apply', secret, { fieldManager: 'databases', force: true })
  })

/** Runs of the operator that have made one. */
const seen = new WeakSet<object>()
