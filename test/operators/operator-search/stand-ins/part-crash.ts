/** mongodb mgopone-1054: a part that is switched on without one of its optional fields crashes the operator. */
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import type { ConfigMap } from '../../../../src/resources/types/core.ts'
import { ownedBy, standIn } from '../stand-in.ts'

interface Tls {
  readonly ca?: { readonly name: string }
}

export const partCrash = (mended: boolean) =>
  standIn([CONFIG_MAPS], async ({ database, client, panic }) => {
    const { namespace = '', name = '' } = database.metadata
    const tls = database.spec?.tls as Tls | undefined
    // The mistake: no check for a part of a part.
    if (!mended && tls !== undefined && tls.ca === undefined)
      return panic(new TypeError('invalid memory address or nil pointer dereference'))
    const map: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, ownerReferences: ownedBy(database) },
      data: { tls: tls === undefined ? 'off' : (tls.ca?.name ?? 'system') },
    }
    await client.patch({ ...CONFIG_MAPS, namespace, name }, 'apply', map, { fieldManager: 'databases', force: true })
  })
