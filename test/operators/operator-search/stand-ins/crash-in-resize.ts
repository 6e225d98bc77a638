/** rabbitmq #782: a crash after the StatefulSet was deleted for a resize, and before the claims are patched, leaves the claims small. */
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import type { ConfigMap } from '../../../../src/resources/types/core.ts'
import { DATABASES, type Database, ensure, live, ownedBy, remove, standIn } from '../stand-in.ts'

/** Config maps stand for the set and its claims: no simulated volume can be resized. */
export const crashInResize = (mended: boolean) =>
  standIn([CONFIG_MAPS], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    // What is deleted must not depend on an old view.
    const current = (await live(client, { ...DATABASES, namespace, name })) as Readonly<Database> | undefined
    if (current === undefined) return
    const data = { storage: `${current.spec?.storage}Gi` }
    const members = { ...CONFIG_MAPS, namespace, name: `${name}-members` }
    const claims = { ...CONFIG_MAPS, namespace, name: `${name}-claims` }
    const read = async (target: typeof members) => (await live(client, target)) as Readonly<ConfigMap> | undefined
    const map = (of: string): ConfigMap => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: of, ownerReferences: ownedBy(current) },
      data,
    })
    const resize = () => client.patch(claims, 'merge', { data })
    await ensure(client, claims, map(claims.name))
    const set = await read(members)
    // A template cannot be changed: the set is made anew.
    if (set !== undefined && set.data?.storage !== data.storage) {
      await remove(client, members)
      // The mistake: only the run that deleted the set patches the claims.
      if (!mended) await resize()
    }
    if (mended && (await read(claims))?.data?.storage !== data.storage) await resize()
    await ensure(client, members, map(members.name))
  })
