/** rabbitmq rbop-992: what is made from a field at first is not changed with it. */
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import type { ConfigMap } from '../../../../src/resources/types/core.ts'
import { ensure, ownedBy, standIn } from '../stand-in.ts'

export const configKept = (mended: boolean) =>
  standIn([CONFIG_MAPS], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = { ...CONFIG_MAPS, namespace, name: `${name}-config` }
    const map: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: own.name, ownerReferences: ownedBy(database) },
      data: { config: String(database.spec?.config ?? '') },
    }
    // The mistake: it is made, and never brought up to date.
    if (!mended) return ensure(client, own, map)
    await client.patch(own, 'apply', map, { fieldManager: 'databases', force: true })
  })
