/** knative knop-1158: a key that is taken out of a map of settings stays in the config map that is made of it. */
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import type { ConfigMap } from '../../../../src/resources/types/core.ts'
import { live, ownedBy, standIn } from '../stand-in.ts'

export const keyKept = (mended: boolean) =>
  standIn([CONFIG_MAPS], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = { ...CONFIG_MAPS, namespace, name: `${name}-settings` }
    const now = (await live(client, own)) as Readonly<ConfigMap> | undefined
    const settings = (database.spec?.config ?? {}) as Readonly<Record<string, string>>
    const metadata = { name: own.name, ownerReferences: ownedBy(database) }
    // The mistake: what was there before is merged with what is wanted.
    const data = mended ? settings : { ...now?.data, ...settings }
    const map: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }
    if (now === undefined) await client.create({ ...CONFIG_MAPS, namespace }, map)
    else await client.update(own, { ...map, metadata: { ...now.metadata, ...metadata } })
  })
