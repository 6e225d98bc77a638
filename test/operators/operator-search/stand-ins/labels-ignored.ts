/** zookeeper zkop-474: one of several nested fields is never carried over. */
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import type { ConfigMap } from '../../../../src/resources/types/core.ts'
import { ownedBy, standIn } from '../stand-in.ts'

interface Pods {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

export const labelsIgnored = (mended: boolean) =>
  standIn([CONFIG_MAPS], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const { labels, annotations } = (database.spec?.pods ?? {}) as Pods
    const map: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      // The mistake: labels are forgotten.
      metadata: { name, ownerReferences: ownedBy(database), ...(mended && labels && { labels }), ...(annotations && { annotations }) },
    }
    await client.patch({ ...CONFIG_MAPS, namespace, name }, 'apply', map, { fieldManager: 'databases', force: true })
  })
