import { namesIn, prefixOf } from '../../apiserver/cache/storage-keys.ts'
import type { Kinds } from '../../apiserver/kinds.ts'
import { apiVersionOf, type JsonObject, type KubeObject, parseApiVersion } from '../../machinery/object.ts'
import { applyDefaultsAtOnce } from '../../machinery/resource/apply-defaults.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { StructSchema } from '../../machinery/schema/schema.ts'

/** Versions that Kubernetes removes some releases after a later one exists. */
const EARLY = /^v\d+(alpha|beta)\d+$/

/** The built-in kinds, by the names that stored objects have. */
export class StoredKinds {
  readonly #kinds: Kinds
  readonly #definitions: readonly ResourceDefinition[]
  readonly #byKind: ReadonlyMap<string, ResourceDefinition>
  /** By prefix of keys; undefined: custom objects. */
  readonly #byPrefix = new Map<string, ResourceDefinition | undefined>()

  constructor(kinds: Kinds, definitions: readonly ResourceDefinition[]) {
    this.#kinds = kinds
    this.#definitions = definitions
    this.#byKind = new Map(definitions.map((d) => [`${d.group}/${d.names.kind}`, d]))
  }

  has(apiVersion: string, kind: string): boolean {
    return this.#byKind.has(`${groupOf(apiVersion)}/${kind}`)
  }

  /** The schema of a built-in kind. An early version that is not served any more has the form of the present one. */
  schemaOf(apiVersion: string, kind: string): StructSchema | undefined {
    const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {}
    const present = this.#byKind.get(`${group}/${kind}`)
    const known = this.#kinds.has(group, version, kind) ? version : EARLY.test(version) ? present?.storageVersion : undefined
    const found = known === undefined || !this.#kinds.has(group, known, kind) ? undefined : this.#kinds.schema(group, known, kind)
    return found?.type === 'struct' ? found : undefined
  }

  /** The object in the version that the watch cache holds, with the defaults that every decoded object gets. */
  current(object: KubeObject): KubeObject {
    const own = this.#byKind.get(`${groupOf(object.apiVersion)}/${object.kind}`)
    if (own === undefined) return object
    const { group, resource } = own.storedAs ?? { group: own.group, resource: own.names.plural }
    const stored = this.#find(group, resource) ?? own
    const apiVersion = apiVersionOf({ group, version: stored.storageVersion })
    const converted = apiVersion === object.apiVersion ? object : this.#converted(stored, object, apiVersion)
    applyDefaultsAtOnce(stored.rules, converted)
    return converted
  }

  /** Throws if the objects under that key of the watch cache are of another built-in kind. */
  assertKind({ apiVersion, kind }: JsonObject, key: string): void {
    const prefix = prefixOf(key)
    const own = prefix === undefined ? undefined : this.#under(prefix)
    if (own === undefined || own.names.kind === kind) return
    const { version } = parseApiVersion(String(apiVersion)) ?? { version: '' }
    const group = own.group === '' ? 'core' : own.group.split('.', 1)[0]
    throw new Error(`converting (${version}.${String(kind)}) to (${group}.${own.names.kind}): unknown conversion`)
  }

  #under(prefix: string): ResourceDefinition | undefined {
    if (!this.#byPrefix.has(prefix)) {
      const { group, resource } = namesIn(prefix)
      this.#byPrefix.set(prefix, this.#find(group, resource))
    }
    return this.#byPrefix.get(prefix)
  }

  #find(group: string, resource: string): ResourceDefinition | undefined {
    return this.#definitions.find((d) => d.group === group && d.names.plural === resource)
  }

  #converted({ convert }: ResourceDefinition, object: KubeObject, apiVersion: string): KubeObject {
    const { group = '', version = '' } = parseApiVersion(object.apiVersion) ?? {}
    if (convert === undefined || !this.#kinds.has(group, version, object.kind)) return { ...object, apiVersion }
    const converted = convert([object], apiVersion)
    if (converted instanceof Promise) throw new Error('invariant: built-in kinds are converted at once')
    return converted[0] ?? object
  }
}

/** `''`: the core group, or no version at all. */
export const groupOf = (apiVersion: string): string => parseApiVersion(apiVersion)?.group ?? ''
