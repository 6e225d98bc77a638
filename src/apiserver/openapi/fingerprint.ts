import { VERSION } from '../../base/version.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { Kinds } from '../kinds.ts'
import { documentHash } from './document.ts'
import { SchemaDocument } from './schema-document.ts'

const known = new WeakMap<ResourceDefinition, string>()

/**
 * The hash of the document of these definitions, without making the document: the index of a thousand documents is requested far more often
 * than most of them. It changes with everything that the document shows: a definition, this package, the derived documentation.
 */
export function fingerprint(kinds: Kinds, path: string, definitions: readonly ResourceDefinition[]): string {
  return documentHash(JSON.stringify([VERSION, kinds.stamp(), path, definitions.map((d) => ofDefinition(kinds, d))]))
}

function ofDefinition(kinds: Kinds, d: ResourceDefinition): string {
  let text = known.get(d)
  if (text === undefined) {
    const { group, names, scope, versions, verbs, subresources, fingerprint: own, customDefinition } = d
    const schemas =
      customDefinition === undefined || own !== undefined
        ? own
        : versions.map((v) => new SchemaDocument(3, kinds, () => []).inline(v.schema()))
    const served = versions.map(({ version, served, subresources, selectableFields = {} }) => [
      ...[version, served, subresources],
      Object.keys(selectableFields),
    ])
    text = documentHash(JSON.stringify([group, names, scope, served, verbs, subresources, schemas]))
    known.set(d, text)
  }
  return text
}
