import type { ResourceRegistry } from '../../../apiserver/cache/resource-registry.ts'
import type { WatchCache } from '../../../apiserver/cache/watch-cache.ts'
import type { Random } from '../../../base/random.ts'
import { encodeJson } from '../../../machinery/json/strict-json.ts'
import type { Json, KubeObject } from '../../../machinery/object.ts'
import type { PrinterColumn, ResourceDefinition } from '../../../machinery/resource/definition.ts'
import { DEFINITIONS } from '../../../resources/apiextensions/types.ts'
import { labelText } from '../../../resources/cells.ts'
import { definitionOf, type ThirdPartyResource } from '../../../resources/extensions/third-party-names.ts'
import type { WebhookClient } from '../../admission/webhook/webhook-client.ts'
import { customDefinition } from '../custom-definition.ts'

export interface ThirdPartyDeps {
  readonly watchCache: WatchCache
  readonly definitions: ResourceRegistry
  readonly random: Random
  readonly client: WebhookClient
}

/** The number of characters of an object that its table shows. */
const SHOWN = 50

/**
 * Serves ThirdPartyResources: each is converted to the equivalent CustomResourceDefinition. If such a definition exists (the resource was
 * migrated), that one serves the objects, and the ThirdPartyResource can be deleted without them.
 */
export function serveThirdPartyResources(deps: ThirdPartyDeps): () => void {
  const { watchCache, definitions } = deps
  const served = new Map<string, ResourceDefinition>()
  const isTaken = (name: string) => watchCache.reader.get(DEFINITIONS.group, DEFINITIONS.resource, '', name) !== undefined
  const serve = (object: KubeObject) => {
    const crd = definitionOf(object as ThirdPartyResource)
    if (crd === undefined || isTaken(crd.metadata.name ?? '')) return
    const made = withColumns(customDefinition({ ...crd, metadata: { ...crd.metadata, uid: object.metadata.uid ?? '' } }, deps))
    if (definitions.serve(made)) served.set(made.customDefinition ?? '', made)
  }
  const withdraw = (object: KubeObject) => {
    const crd = definitionOf(object as ThirdPartyResource)
    const name = crd?.metadata.name ?? ''
    const standing = served.get(name)
    if (standing === undefined) return
    served.delete(name)
    if (!isTaken(name)) definitions.withdraw(standing)
  }
  const stop = watchCache.onChange('extensions', 'thirdpartyresources', (object, old) => {
    if (object !== undefined) serve(object)
    else if (old !== undefined) withdraw(old)
  })
  // A definition that takes over, or is deleted.
  const stopDefinitions = watchCache.onChange(DEFINITIONS.group, DEFINITIONS.resource, (object, old) => {
    if (object === undefined && old !== undefined) for (const tpr of watchCache.reader.list('extensions', 'thirdpartyresources')) serve(tpr)
  })
  for (const object of watchCache.reader.list('extensions', 'thirdpartyresources')) serve(object)
  return () => {
    stop()
    stopDefinitions()
  }
}

const COLUMNS: readonly PrinterColumn[] = [
  { name: 'Name', type: 'string', format: 'name', description: 'The name of the object.', priority: 0, cell: (o) => o.metadata.name ?? '' },
  { name: 'Labels', type: 'string', format: '', description: 'Its labels.', priority: 0, cell: (o) => labelText(o.metadata.labels) },
  { name: 'Data', type: 'string', format: '', description: 'The beginning of the object as JSON.', priority: 0, cell: (o) => beginning(o) },
]

const withColumns = (d: ResourceDefinition): ResourceDefinition => ({ ...d, versions: d.versions.map((v) => ({ ...v, columns: COLUMNS })) })

/** Keys in sorted order, as they were stored then. */
function beginning(object: KubeObject): string {
  const text = encodeJson(sorted(object as unknown as Json))
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}...`
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((k) => [k, sorted(value[k] ?? null)]),
  )
}
