/** xtradb K8SPXC-896: what was applied last is noted before it is applied: a crash between them leaves the old password for ever. */
import type { ResourceRef } from '../../../../src/machinery/api-call.ts'
import { CONFIG_MAPS, SECRETS } from '../../../../src/resources/refs.ts'
import type { ConfigMap } from '../../../../src/resources/types/core.ts'
import { live, ownedBy, standIn } from '../stand-in.ts'

export const markedBefore = (mended: boolean) =>
  standIn([], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const password = String(database.spec?.password)
    const apply = (ref: ResourceRef, own: string, content: object) => {
      const object = { apiVersion: 'v1', metadata: { name: own, ownerReferences: ownedBy(database) }, ...content }
      return client.patch({ ...ref, namespace, name: own }, 'apply', object, { fieldManager: 'databases', force: true })
    }
    const noted = (await live(client, { ...CONFIG_MAPS, namespace, name: `${name}-applied` })) as Readonly<ConfigMap> | undefined
    if (noted?.data?.password === password) return
    const mark = () => apply(CONFIG_MAPS, `${name}-applied`, { kind: 'ConfigMap', data: { password } })
    const work = () => apply(SECRETS, name, { kind: 'Secret', stringData: { password } })
    // The mistake: the note comes first.
    const [first, second] = mended ? [work, mark] : [mark, work]
    await first()
    await second()
  })
