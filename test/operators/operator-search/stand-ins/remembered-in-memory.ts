/** What was done is remembered in memory, before it is done: after an error it is never done. */
import { SECRETS } from '../../../../src/resources/refs.ts'
import { ensure, ownedBy, standIn } from '../stand-in.ts'

export const rememberedInMemory = (mended: boolean) => {
  return standIn([], async ({ database, client, life }) => {
    const { namespace = '', name = '', uid = '' } = database.metadata
    const done = remembered.get(life) ?? new Set<string>()
    remembered.set(life, done)
    if (done.has(uid)) return
    // The mistake: this comes before the write.
    if (!mended) done.add(uid)
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, ownerReferences: ownedBy(database) } }
    await ensure(client, { ...SECRETS, namespace, name }, secret)
    done.add(uid)
  })
}

/** By run of the operator. */
const remembered = new WeakMap<object, Set<string>>()
