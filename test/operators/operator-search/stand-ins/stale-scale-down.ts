/** zookeeper #314: a restart on the view of a smaller size deletes the claims of members that are there again. */
import { PERSISTENT_VOLUME_CLAIMS } from '../../../../src/resources/refs.ts'
import { claim, DATABASES, type Database, ensure, live, remove, standIn } from '../stand-in.ts'

export const staleScaleDown = (mended: boolean) =>
  standIn([PERSISTENT_VOLUME_CLAIMS], async ({ database, client, cached }) => {
    const { namespace = '', name = '' } = database.metadata
    const target = (own: string) => ({ ...PERSISTENT_VOLUME_CLAIMS, namespace, name: own })
    const sizeOf = (of: Readonly<Database> | undefined) => Number(of?.spec?.size ?? 0)
    for (let member = 0; member < sizeOf(database); member++) {
      const own = `data-${name}-${member}-of`
      await ensure(client, target(own), claim(own))
    }
    for (const { metadata } of cached(PERSISTENT_VOLUME_CLAIMS)) {
      const member = Number(/-(\d+)-of$/.exec(metadata.name ?? '')?.[1])
      if (member < sizeOf(database)) continue
      // The mistake: a claim goes although the size that was seen may be an old one.
      const now = mended ? ((await live(client, { ...DATABASES, namespace, name })) as Readonly<Database> | undefined) : database
      if (member >= sizeOf(now)) await remove(client, target(metadata.name ?? ''))
    }
  })
