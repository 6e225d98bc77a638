import type { ResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import type { ListedGroup } from '../../apiserver/delegate-server.ts'
import { byPriority } from '../../apiserver/discovery/groups.ts'
import { byText } from '../../base/by-text.ts'
import { isRegisteredAtStart } from '../bootstrap/api-services.ts'
import { API_SERVICES, type ApiService, type ApiServiceSpec, isAvailable, nameOf, rootOf } from './api-service.ts'
import { type DelegateDeps, RemoteDelegate } from './remote-delegate.ts'

export interface Entry {
  readonly name: string
  readonly object: ApiService
  /** Undefined: this server serves it. */
  readonly delegate: RemoteDelegate | undefined
}

/** The priorities of custom resources' group versions. */
export const CUSTOM_PRIORITY = { groupPriorityMinimum: 1000, versionPriority: 100 } as const

/** All APIServices, by name and by path. */
export class ApiServiceTable implements Disposable {
  readonly #deps: DelegateDeps
  readonly #definitions: ResourceRegistry
  readonly #entries = new Map<string, Entry>()
  readonly #byRoot = new Map<string, RemoteDelegate>()
  #changes = 0
  #groups: { readonly changes: number; readonly definitions: number; readonly found: readonly ListedGroup[] } | undefined

  constructor(definitions: ResourceRegistry, deps: DelegateDeps) {
    this.#definitions = definitions
    this.#deps = deps
  }

  /** Counts changes of the served groups. */
  get changes(): number {
    return this.#changes
  }

  entries(): Iterable<Entry> {
    return this.#entries.values()
  }

  get(name: string): Entry | undefined {
    return this.#entries.get(name)
  }

  /** Adds or updates an APIService; undefined: it is deleted. Returns the entry. */
  put(name: string, object: ApiService | undefined): Entry | undefined {
    const before = this.#entries.get(name)
    if (object === undefined) {
      if (before !== undefined) this.#drop(before)
      return undefined
    }
    const same = before?.delegate !== undefined && sameServer(before.object.spec, object.spec)
    if (before !== undefined && !same) this.#drop(before)
    const { service } = object.spec
    const delegate = !service
      ? undefined
      : same
        ? before.delegate
        : new RemoteDelegate({ ...object.spec, service }, isAvailable(object), this.#deps)
    if (delegate !== undefined) {
      delegate.available = isAvailable(object)
      this.#byRoot.set(proxiedRoot(object.spec), delegate)
    }
    const entry = { name, object, delegate }
    this.#entries.set(name, entry)
    if (before === undefined || !sameListing(before.object.spec, object.spec)) this.#changes++
    return entry
  }

  #drop({ name, object, delegate }: Entry): void {
    this.#entries.delete(name)
    this.#changes++
    if (delegate === undefined) return
    this.#byRoot.delete(proxiedRoot(object.spec))
    delegate[Symbol.dispose]()
  }

  /** The delegate that serves a path. */
  delegateOf(path: string): RemoteDelegate | undefined {
    if (this.#byRoot.size === 0) return undefined
    if (path.startsWith('/apis/')) {
      const group = path.indexOf('/', '/apis/'.length)
      if (group < 0) return undefined
      const version = path.indexOf('/', group + 1)
      return this.#byRoot.get(version < 0 ? path : path.slice(0, version))
    }
    return path === '/api' || path.startsWith('/api/') ? this.#byRoot.get('/api') : undefined
  }

  /**
   * The groups in the order of discovery: those of the APIServices, by priority and then by name, `apiregistration.k8s.io` before all.
   * Groups without an APIService yet (custom resources right after their definition) are listed with the priority that they will get.
   */
  groups(): readonly ListedGroup[] {
    const { generation } = this.#definitions
    if (this.#groups?.changes !== this.#changes || this.#groups.definitions !== generation)
      this.#groups = { changes: this.#changes, definitions: generation, found: this.#list() }
    return this.#groups.found
  }

  #list(): readonly ListedGroup[] {
    const groups = new Map<string, { priority: number; readonly versions: Map<string, number> }>()
    const add = ({ group = '', version, groupPriorityMinimum, versionPriority }: ApiServiceSpec) => {
      if (group === '') return
      const known = groups.get(group) ?? { priority: 0, versions: new Map() }
      known.priority = Math.max(known.priority, groupPriorityMinimum)
      known.versions.set(version, versionPriority)
      groups.set(group, known)
    }
    for (const { object } of this.#entries.values()) add(object.spec)
    for (const d of this.#definitions.all()) {
      for (const { version, served } of d.versions) {
        if (!served || d.group === API_SERVICES.group || this.#entries.has(nameOf(d.group, version))) continue
        if (d.customDefinition === undefined && isRegisteredAtStart(d.group, version)) continue
        add({ group: d.group, version, ...CUSTOM_PRIORITY })
      }
    }
    const listed = [...groups].sort(([a, { priority: x }], [b, { priority: y }]) => y - x || byText(a, b))
    return [
      { name: API_SERVICES.group, versions: [API_SERVICES.version] },
      ...listed.map(([name, { versions }]) => ({
        name,
        versions: [...versions].sort(([a, x], [b, y]) => y - x || byPriority(a, b)).map(([version]) => version),
      })),
    ]
  }

  [Symbol.dispose](): void {
    for (const { delegate } of this.#entries.values()) delegate?.[Symbol.dispose]()
    this.#entries.clear()
    this.#byRoot.clear()
  }
}

const proxiedRoot = (spec: ApiServiceSpec): string => ((spec.group ?? '') === '' ? '/api' : rootOf(spec))

/** Whether both have the same connections. */
const sameServer = (a: ApiServiceSpec, b: ApiServiceSpec): boolean =>
  a.group === b.group &&
  a.version === b.version &&
  (a.caBundle ?? '') === (b.caBundle ?? '') &&
  (a.insecureSkipTLSVerify ?? false) === (b.insecureSkipTLSVerify ?? false) &&
  a.service?.namespace === b.service?.namespace &&
  a.service?.name === b.service?.name &&
  a.service?.port === b.service?.port

const sameListing = (a: ApiServiceSpec, b: ApiServiceSpec): boolean =>
  a.group === b.group &&
  a.version === b.version &&
  a.groupPriorityMinimum === b.groupPriorityMinimum &&
  a.versionPriority === b.versionPriority
