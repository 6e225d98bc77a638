/** knative knop-1137: a field that may be null is read as if it were there, and the operator crashes for ever. */
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import type { ConfigMap } from '../../../../src/resources/types/core.ts'
import { ownedBy, standIn } from '../stand-in.ts'

export const nullCrash = (mended: boolean) =>
  standIn([CONFIG_MAPS], async ({ database, client, panic }) => {
    const { namespace = '', name = '' } = database.metadata
    const replicas = database.spec?.replicas
    // The mistake: no check for null, as in Go behind a pointer.
    if (!mended && typeof replicas !== 'number') return panic(new TypeError('invalid memory address or nil pointer dereference'))
    const map: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, ownerReferences: ownedBy(database) },
      data: { replicas: String(replicas ?? 1) },
    }
    await client.patch({ ...CONFIG_MAPS, namespace, name }, 'apply', map, { fieldManager: 'databases', force: true })
  })
