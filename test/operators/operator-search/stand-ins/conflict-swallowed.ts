/** A conflict is taken for something that another event will repair, but nothing watches what it is about. */
import { isStatus } from '../../../../src/machinery/status-error.ts'
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import type { ConfigMap } from '../../../../src/resources/types/core.ts'
import { ensure, live, ownedBy, standIn } from '../stand-in.ts'

export const conflictSwallowed = (mended: boolean) =>
  standIn([], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = { ...CONFIG_MAPS, namespace, name }
    const data = { size: String(database.spec?.size) }
    const map: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences: ownedBy(database) }, data }
    await ensure(client, own, map)
    const now = (await live(client, own)) as Readonly<ConfigMap> | undefined
    if (now === undefined || now.data?.size === data.size) return
    await client.update(own, { ...now, data }).catch((error: unknown) => {
      // The mistake: the next event never comes.
      if (mended || !isStatus(error, 'Conflict')) throw error
    })
  })
