/** zookeeper #453: claims of members that went are cleaned only if the smaller set is seen before it grows again. */
import { PERSISTENT_VOLUME_CLAIMS, STATEFUL_SETS } from '../../../../src/resources/refs.ts'
import type { StatefulSet } from '../../../../src/resources/types/apps.ts'
import { claim, DATABASES, type Database, ensure, live, members, remove, standIn } from '../stand-in.ts'

export const unseenScaleDown = (mended: boolean) =>
  standIn([STATEFUL_SETS, PERSISTENT_VOLUME_CLAIMS], async ({ database, client, cached }) => {
    const { namespace = '', name = '' } = database.metadata
    const current = (await live(client, { ...DATABASES, namespace, name })) as Readonly<Database> | undefined
    if (current === undefined) return
    const size = Number(current.spec?.size ?? 1)
    const target = (own: string) => ({ ...PERSISTENT_VOLUME_CLAIMS, namespace, name: own })
    const clean = async (from: number) => {
      for (const { metadata } of cached(PERSISTENT_VOLUME_CLAIMS))
        if (Number(/-(\d+)-of$/.exec(metadata.name ?? '')?.[1]) >= from) await remove(client, target(metadata.name ?? ''))
    }
    const own = { ...STATEFUL_SETS, namespace, name }
    const now = (await live(client, own)) as Readonly<StatefulSet> | undefined
    // What a smaller set has left behind must not come back with a larger one.
    if (mended && now !== undefined && (now.spec?.replicas ?? 0) < size) await clean(now.spec?.replicas ?? 0)
    await client.patch(own, 'apply', members(current), { fieldManager: 'databases', force: true })
    for (let member = 0; member < size; member++) {
      const own = `data-${name}-${member}-of`
      await ensure(client, target(own), claim(own))
    }
    // The mistake: this moment may never be seen.
    const seen = cached(STATEFUL_SETS)[0] as Readonly<StatefulSet> | undefined
    if (seen?.status?.replicas === size) await clean(size)
  })
