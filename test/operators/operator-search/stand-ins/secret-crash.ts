/** redis rdoptwo-292: a field names a secret that does not exist, and the operator crashes for ever. */
import { CONFIG_MAPS, SECRETS } from '../../../../src/resources/refs.ts'
import type { ConfigMap, Secret } from '../../../../src/resources/types/core.ts'
import { live, ownedBy, standIn } from '../stand-in.ts'

export const secretCrash = (mended: boolean) =>
  standIn([CONFIG_MAPS, SECRETS], async ({ database, client, panic }) => {
    const { namespace = '', name = '' } = database.metadata
    const named = (database.spec?.existingSecret as { readonly name?: string } | undefined)?.name
    const secret = named === undefined ? undefined : ((await live(client, { ...SECRETS, namespace, name: named })) as Readonly<Secret>)
    // The mistake: the secret is taken to exist.
    if (!mended && named !== undefined && secret === undefined) return panic(new TypeError('assignment to entry in nil map'))
    const map: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, ownerReferences: ownedBy(database) },
      data: { auth: named === undefined ? 'off' : secret === undefined ? `waits for ${named}` : 'on' },
    }
    await client.patch({ ...CONFIG_MAPS, namespace, name }, 'apply', map, { fieldManager: 'databases', force: true })
  })
