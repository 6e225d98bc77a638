import type { DelegateDiscovery } from '../../apiserver/delegate-server.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { equalJson } from '../../machinery/equal.ts'
import type { Json, JsonObject } from '../../machinery/object.ts'
import type { ApiServiceTable } from './api-service-table.ts'
import { type ReadDiscovery, readDiscovery } from './delegate-discovery.ts'
import { type Document, readDocument, readIndex } from './delegate-openapi.ts'
import type { RemoteDelegate } from './remote-delegate.ts'

/** Interval at which delegates' documents are read again, as in kube-apiserver. */
const RESYNC_MS = 60_000

interface DelegateEntry {
  readonly delegate: RemoteDelegate
  discovery: ReadDiscovery
  index: string | undefined
  document: Document | undefined
  reading: Promise<void> | undefined
  again: boolean
  cancel: () => void
}

export interface DelegateDocumentsDeps {
  readonly table: ApiServiceTable
  readonly clock: Clock
  readonly log: Logger
}

/**
 * The discovery and OpenAPI documents of all delegates, read in the background: a slow delegate delays no request. The large OpenAPI v2
 * documents are read only after the first request for them.
 */
export class DelegateDocuments implements AsyncDisposable {
  readonly #deps: DelegateDocumentsDeps
  readonly #kept = new Map<string, DelegateEntry>()
  #wantsV2 = false
  #closed = false
  /** Counts changes. */
  generation = 0

  constructor(deps: DelegateDocumentsDeps) {
    this.#deps = deps
  }

  /** Reads the documents of an APIService's delegate again: it is new, or its availability changed. */
  touch(name: string): void {
    const delegate = this.#deps.table.get(name)?.delegate
    const known = this.#kept.get(name)
    if (delegate === undefined) {
      if (known !== undefined) this.#drop(name, known)
      return
    }
    if (known?.delegate === delegate) {
      this.#read(name, known)
      return
    }
    // The documents of the previous server do not apply to this one.
    if (known !== undefined) this.#drop(name, known)
    const kept: DelegateEntry = {
      delegate,
      discovery: { freshness: 'Stale' },
      index: undefined,
      document: undefined,
      reading: undefined,
      again: false,
      cancel: () => {},
    }
    this.#kept.set(name, kept)
    this.generation++
    this.#read(name, kept)
  }

  #drop(name: string, kept: DelegateEntry): void {
    kept.cancel()
    this.#kept.delete(name)
    this.generation++
  }

  #read(name: string, kept: DelegateEntry): void {
    kept.cancel()
    if (this.#closed) return
    if (kept.reading !== undefined) {
      kept.again = true
      return
    }
    kept.reading = this.#readAll(kept)
      .catch((error: unknown) => this.#deps.log.warn('an aggregated server could not be read', { name, error }))
      .finally(() => {
        kept.reading = undefined
        if (this.#closed || this.#kept.get(name) !== kept) return
        if (kept.again) {
          kept.again = false
          this.#read(name, kept)
        } else kept.cancel = this.#deps.clock.after(RESYNC_MS, () => this.#read(name, kept), 'heartbeat')
      })
  }

  async #readAll(kept: DelegateEntry): Promise<void> {
    const { delegate } = kept
    const [discovery, index, document] = await Promise.all([
      readDiscovery(delegate, kept.discovery, this.#deps.log),
      readIndex(delegate),
      this.#wantsV2 ? readDocument(delegate, kept.document) : undefined,
    ])
    const same = equalJson(shown(discovery), shown(kept.discovery)) && index === kept.index && document === kept.document
    kept.discovery = discovery
    kept.index = index
    if (this.#wantsV2) kept.document = document
    if (!same) this.generation++
  }

  discovery(name: string): DelegateDiscovery | undefined {
    return this.#kept.get(name)?.discovery
  }

  /** The delegate with the OpenAPI v3 document of a path such as `apis/GROUP/VERSION`. */
  documentOf(path: string): RemoteDelegate | undefined {
    for (const { delegate, index } of this.#kept.values()) if (index !== undefined && pathOf(delegate) === path) return delegate
    return undefined
  }

  index(): ReadonlyMap<string, string> {
    const found = new Map<string, string>()
    for (const { delegate, index } of this.#kept.values()) if (index !== undefined) found.set(pathOf(delegate), index)
    return found
  }

  /** The v2 documents, groups with a high priority first. The first call starts reading them. */
  documents(): readonly JsonObject[] {
    if (!this.#wantsV2) {
      this.#wantsV2 = true
      for (const [name, kept] of this.#kept) this.#read(name, kept)
    }
    return [...this.#kept.values()]
      .toSorted(
        (a, b) =>
          b.delegate.spec.groupPriorityMinimum - a.delegate.spec.groupPriorityMinimum || (pathOf(a.delegate) < pathOf(b.delegate) ? -1 : 1),
      )
      .flatMap(({ document }) => (document === undefined ? [] : [document.value]))
  }

  /** Resolves when no document is being read. */
  async idle(): Promise<void> {
    await Promise.all([...this.#kept.values()].map((kept) => kept.reading))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const { cancel } of this.#kept.values()) cancel()
    await this.idle()
  }
}

const shown = ({ resources, freshness }: DelegateDiscovery): Json => ({ resources: (resources ?? []) as Json[], freshness })
const pathOf = ({ spec: { group = '', version } }: RemoteDelegate): string => `apis/${group}/${version}`
