import { ignoring } from '../machinery/ignoring.ts'
import { isStatus } from '../machinery/status-error.ts'
import { definitionOf, type ThirdPartyResource } from '../resources/extensions/third-party-names.ts'
import type { Client } from '../sdk/client/client.ts'

const THIRD_PARTY = { group: 'extensions', version: 'v1beta1', resource: 'thirdpartyresources' }
const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' }

/** Why a resource cannot be migrated. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

export interface Migration {
  readonly definition: string
  readonly objects: number
}

/**
 * Turns a ThirdPartyResource into the CustomResourceDefinition that serves the same objects where they are. No object is written; whatever
 * goes wrong on the way leaves them as they were, and the command can be given again.
 */
export async function migrateThirdParty(client: Client, name: string): Promise<Migration> {
  const resource = await client.get<ThirdPartyResource>({ ...THIRD_PARTY, name }).catch((error: unknown) => {
    if (isStatus(error, 'NotFound'))
      throw new MigrationError(`there is no ThirdPartyResource ${JSON.stringify(name)}: see "kubectl get thirdpartyresources"`)
    throw error
  })
  const crd = definitionOf(resource)
  if (crd === undefined) throw new MigrationError(`the name or the versions of ${JSON.stringify(name)} do not make a definition`)
  const { status: _, ...definition } = crd
  const objects = { group: crd.spec.group, version: crd.spec.versions?.[0]?.name ?? '', resource: crd.spec.names.plural }
  const before = (await client.list(objects)).items.length
  // An earlier try came so far.
  await client.create(DEFINITIONS, definition).catch(ignoring('AlreadyExists'))
  const after = (await client.list(objects)).items.length
  if (after < before) throw new MigrationError(`of ${before} objects the definition shows ${after}: the ThirdPartyResource stays`)
  await client.delete({ ...THIRD_PARTY, name })
  return { definition: crd.metadata.name ?? '', objects: after }
}
