/** Labels are merged into what is there: one that is taken away stays. */
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import type { ConfigMap } from '../../../../src/resources/types/core.ts'
import { ensure, live, ownedBy, standIn } from '../stand-in.ts'

export const labelKept = (mended: boolean) =>
  standIn([], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = { ...CONFIG_MAPS, namespace, name }
    const labels = (database.spec?.labels ?? {}) as Readonly<Record<string, string>>
    await ensure(client, own, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels, ownerReferences: ownedBy(database) } })
    const now = (await live(client, own)) as Readonly<ConfigMap> | undefined
    if (now === undefined) return
    // The mistake: nothing is ever removed.
    const wanted = mended ? labels : { ...now.metadata.labels, ...labels }
    if (JSON.stringify(wanted) !== JSON.stringify(now.metadata.labels ?? {}))
      await client.update(own, { ...now, metadata: { ...now.metadata, labels: wanted } })
  })
