import type { WatchCache } from '../../apiserver/cache/watch-cache.ts'
import type { Cancel, Clock } from '../../base/clock.ts'
import { listObjects, onChangeOf } from '../../resources/read-objects.ts'
import { API_SERVICES, CUSTOM_RESOURCE_DEFINITIONS } from '../../resources/refs.ts'
import type { CustomResourceDefinition } from '../../resources/types/apiextensions.ts'
import type { APIService } from '../../resources/types/apiregistration.ts'

/** How long other servers may need to notice that a definition or an API service was deleted, as in kube-apiserver. */
const GRACE_MS = 5 * 60_000

export interface OwnVersionsDeps {
  readonly watchCache: Pick<WatchCache, 'reader' | 'onChange'>
  readonly clock: Clock
  readonly changed: () => void
}

/**
 * The group versions of definitions and of aggregated servers. All servers see these objects, so this server's view of them counts: what
 * another one had when it was asked may be deleted.
 */
export class OwnVersions implements Disposable {
  readonly #byObject = new Map<string, readonly string[]>()
  /** Deleted ones, with the time until which they are remembered. */
  readonly #deleted = new Map<string, number>()
  readonly #deps: OwnVersionsDeps
  readonly #timers = new Set<Cancel>()

  constructor(deps: OwnVersionsDeps) {
    this.#deps = deps
    const { watchCache } = deps
    const definition = (object: CustomResourceDefinition | undefined, old: CustomResourceDefinition | undefined) =>
      this.#put(`definition ${(object ?? old)?.metadata.name}`, object && versionsOf(object))
    const service = (object: APIService | undefined, old: APIService | undefined) =>
      this.#put(`service ${(object ?? old)?.metadata.name}`, object && versionOf(object))
    onChangeOf(watchCache, CUSTOM_RESOURCE_DEFINITIONS, definition)
    onChangeOf(watchCache, API_SERVICES, service)
    for (const object of listObjects(watchCache.reader, CUSTOM_RESOURCE_DEFINITIONS)) definition(object, undefined)
    for (const object of listObjects(watchCache.reader, API_SERVICES)) service(object, undefined)
  }

  /** `GROUP/VERSION` of each. */
  get all(): ReadonlySet<string> {
    return new Set([...[...this.#byObject.values()].flat(), ...this.#deleted.keys()])
  }

  #put(name: string, versions: readonly string[] = []): void {
    const before = this.#byObject.get(name) ?? []
    if (versions.length === 0) this.#byObject.delete(name)
    else this.#byObject.set(name, versions)
    const gone = before.filter((version) => !versions.includes(version))
    for (const version of gone) this.#remember(version)
    if (gone.length > 0 || versions.some((version) => !before.includes(version))) this.#deps.changed()
  }

  #remember(version: string): void {
    const { clock, changed } = this.#deps
    const until = clock.monotonic() + GRACE_MS
    this.#deleted.set(version, until)
    const cancel = clock.after(GRACE_MS, () => {
      this.#timers.delete(cancel)
      if (this.#deleted.get(version) !== until) return
      this.#deleted.delete(version)
      changed()
    })
    this.#timers.add(cancel)
  }

  [Symbol.dispose](): void {
    for (const cancel of this.#timers) cancel()
  }
}

const versionsOf = ({ spec }: CustomResourceDefinition) => spec.versions.map(({ name }) => `${spec.group}/${name}`)

/** An API service without a service names what this server serves. */
const versionOf = ({ spec }: APIService) => (spec?.service === undefined ? [] : [`${spec.group ?? ''}/${spec.version ?? ''}`])
