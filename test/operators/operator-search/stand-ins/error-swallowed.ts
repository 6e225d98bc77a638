/** A write that fails is logged, and never tried again: what was there before stays. */
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import { ownedBy, standIn } from '../stand-in.ts'

export const errorSwallowed = (mended: boolean) =>
  standIn([], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, ownerReferences: ownedBy(database) },
      data: { mode: String(database.spec?.mode) },
    }
    const written = client.patch({ ...CONFIG_MAPS, namespace, name }, 'apply', map, { fieldManager: 'databases', force: true })
    await written.catch((error: unknown) => {
      // The mistake: the queue does not see the error.
      if (mended) throw error
    })
  })
