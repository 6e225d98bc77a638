import { VERSION } from '../../base/version.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { readGenerated } from '../../resources/generated-files.ts'
import { documentHash } from './document.ts'
import { SchemaDocument } from './schema-document.ts'

let stamp: unknown
const known = new WeakMap<ResourceDefinition, string>()

/**
 * The hash of the document of these definitions, without making the document: an index of a thousand documents is asked for far more often
 * than most of them. It changes when anything does that the document shows: a definition, this package, the derived documentation.
 */
export function fingerprint(path: string, definitions: readonly ResourceDefinition[]): string {
  stamp ??= readGenerated('stamp.json')
  return documentHash(JSON.stringify([VERSION, stamp, path, definitions.map(ofDefinition)]))
}

function ofDefinition(d: ResourceDefinition): string {
  let text = known.get(d)
  if (text === undefined) {
    const { group, names, scope, versions, verbs, subresources, fingerprint: own, customDefinition } = d
    const schemas =
      customDefinition === undefined || own !== undefined ? own : versions.map((v) => new SchemaDocument(3, () => []).inline(v.schema()))
    const served = versions.map(({ version, served, subresources }) => [version, served, subresources])
    text = documentHash(JSON.stringify([group, names, scope, served, verbs, subresources, schemas]))
    known.set(d, text)
  }
  return text
}
