/** A secret for each user: that of a user who is taken off the list is left behind. */
import { SECRETS } from '../../../../src/resources/refs.ts'
import { DATABASES, type Database, ensure, live, ownedBy, remove, standIn } from '../stand-in.ts'

export const userLeft = (mended: boolean) =>
  standIn([SECRETS], async ({ database, client, cached }) => {
    const { namespace = '', name = '', uid } = database.metadata
    const now = (await live(client, { ...DATABASES, namespace, name })) as Readonly<Database> | undefined
    if (now?.metadata.uid !== uid) return
    const users = (now?.spec?.users ?? []) as readonly { readonly name: string }[]
    const wanted = users.map((user) => `${name}-${user.name}`)
    for (const own of wanted) {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: own, ownerReferences: ownedBy(database) } }
      await ensure(client, { ...SECRETS, namespace, name: own }, secret)
    }
    // The mistake: objects that are no longer wanted are never looked for.
    const left = cached(SECRETS).filter((s) => s.metadata.ownerReferences?.[0]?.uid === uid && !wanted.includes(s.metadata.name ?? ''))
    if (mended) for (const { metadata } of left) await remove(client, { ...SECRETS, namespace, name: metadata.name ?? '' })
  })
