/** rabbitmq rbop-928: a plugin that is taken off the list stays enabled, since lists are only added to. */
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import type { ConfigMap } from '../../../../src/resources/types/core.ts'
import { live, ownedBy, standIn } from '../stand-in.ts'

export const pluginKept = (mended: boolean) =>
  standIn([CONFIG_MAPS], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = { ...CONFIG_MAPS, namespace, name: `${name}-plugins` }
    const now = (await live(client, own)) as Readonly<ConfigMap> | undefined
    const enabled = now?.data?.enabled?.split(',') ?? []
    const wanted = ['management', ...((database.spec?.plugins ?? []) as readonly string[])]
    // The mistake: what is enabled is never disabled.
    const plugins = [...new Set(mended ? wanted : [...enabled, ...wanted])].sort()
    const metadata = { name: own.name, ownerReferences: ownedBy(database) }
    const map: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { enabled: plugins.join(',') } }
    await client.patch(own, 'apply', map, { fieldManager: 'databases', force: true })
  })
