import type { WatchCache } from '../../apiserver/cache/watch-cache.ts'
import type { ResourceStore } from '../../apiserver/store/resource-store.ts'
import { type Clock, timestamp } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { readObject } from '../../resources/read-objects.ts'
import { SERVICES } from '../../resources/refs.ts'
import { localPort, slicesOf } from '../services/resolve-service.ts'
import { API_SERVICES, type ApiService, isAvailable } from './api-service.ts'
import type { ApiServiceTable, Entry } from './api-service-table.ts'
import { type AvailabilityCondition, LOCAL, planAvailability, withVerdict } from './plan-availability.ts'
import { probe } from './probe.ts'

export interface AvailabilityDeps {
  readonly table: ApiServiceTable
  readonly watchCache: Pick<WatchCache, 'reader' | 'onChange'>
  readonly store: () => Pick<ResourceStore, 'change'>
  /** Servers of this process, by `NAMESPACE/NAME` of their service. */
  readonly local: ReadonlyMap<string, unknown>
  readonly clock: Clock
  readonly log: Logger
}

/** The longest interval between two probes of a delegate. */
const RESYNC_MS = 30_000
/** The first retry delay of a failed delegate; doubled up to the regular interval. */
const FIRST_RETRY_MS = 50

interface Watched {
  /** The number of consecutive failures. */
  failures: number
  running: boolean
  /** Something changed during the probe: probe again. */
  again: boolean
  cancel: () => void
}

/** Probes the APIServices, and writes their availability into their status. */
export class AvailabilityController implements AsyncDisposable {
  readonly #deps: AvailabilityDeps
  readonly #watched = new Map<string, Watched>()
  readonly #stops: (() => void)[] = []
  readonly #running = new Set<Promise<void>>()
  /** How often each became unavailable, by name and reason. */
  readonly lost = new Map<string, { readonly name: string; readonly reason: string; count: number }>()
  #closed = false

  constructor(deps: AvailabilityDeps) {
    this.#deps = deps
    const { watchCache } = deps
    const touched = (namespace: string | undefined, name: string | undefined) => {
      for (const { name: one, delegate } of deps.table.entries())
        if (delegate?.spec.service.name === name && delegate?.spec.service.namespace === namespace) this.check(one)
    }
    const onChange = (resource: readonly [string, string], nameOf: (object: KubeObject) => string | undefined) =>
      this.#stops.push(
        watchCache.onChange(...resource, (object, old) => {
          const one = object ?? old
          if (one !== undefined) touched(one.metadata.namespace, nameOf(one))
        }),
      )
    onChange(['', 'services'], (service) => service.metadata.name)
    onChange(['discovery.k8s.io', 'endpointslices'], (slice) => slice.metadata.labels?.['kubernetes.io/service-name'])
  }

  /** Checks an APIService now. */
  check(name: string): void {
    if (this.#closed) return
    const watched = this.#watched.get(name) ?? { failures: 0, running: false, again: false, cancel: () => {} }
    this.#watched.set(name, watched)
    watched.cancel()
    if (watched.running) {
      watched.again = true
      return
    }
    watched.running = true
    const running = this.#look(name, watched)
      .catch((error: unknown) => this.#deps.log.warn('an APIService could not be looked at', { name, error }))
      .finally(() => {
        watched.running = false
        this.#running.delete(running)
        this.#next(name, watched)
      })
    this.#running.add(running)
  }

  #next(name: string, watched: Watched): void {
    const entry = this.#deps.table.get(name)
    if (entry === undefined || this.#closed) this.#watched.delete(name)
    else if (watched.again) this.#again(name, watched)
    else if (entry.delegate !== undefined) {
      const { failures } = watched
      const delayMs = failures === 0 ? RESYNC_MS : Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), RESYNC_MS)
      watched.cancel = this.#deps.clock.after(delayMs, () => this.check(name), failures === 0 ? 'heartbeat' : 'routine')
    }
  }

  #again(name: string, watched: Watched): void {
    watched.again = false
    this.check(name)
  }

  async #look(name: string, watched: Watched): Promise<void> {
    const entry = this.#deps.table.get(name)
    if (entry === undefined) return
    const verdict = await this.#verdict(entry)
    // The APIService may have changed since the probe began.
    const now = this.#deps.table.get(name)
    if (now === undefined || now.delegate !== entry.delegate) return
    watched.failures = verdict.status === 'True' ? 0 : watched.failures + 1
    await this.#write(now, verdict)
  }

  async #verdict({ object, delegate }: Entry): Promise<AvailabilityCondition> {
    const { service: wanted } = object.spec
    if (delegate === undefined || !wanted) return LOCAL
    const { reader } = this.#deps.watchCache
    const service = readObject(reader, SERVICES, wanted.namespace, wanted.name)
    const direct = this.#deps.local.has(`${wanted.namespace}/${wanted.name}`) || (service !== undefined && localPort(service) !== undefined)
    const plan = planAvailability(object.spec, { service, slices: service === undefined ? [] : slicesOf(service, reader), direct })
    return plan.kind === 'known' ? plan.condition : probe(delegate)
  }

  async #write({ name, object }: Entry, verdict: AvailabilityCondition): Promise<void> {
    const { store, clock } = this.#deps
    if (withVerdict(object, verdict, timestamp(clock.now())) === undefined) return
    if (isAvailable(object) && verdict.status !== 'True') this.#note(name, verdict.reason ?? '')
    const key = { group: API_SERVICES.group, resource: API_SERVICES.resource, namespace: '', name }
    const change = (draft: KubeObject) => {
      const status = withVerdict(draft as ApiService, verdict, timestamp(clock.now()))
      if (status !== undefined) draft.status = status
    }
    await store().change(key, change, { subresource: 'status', noted: true }).catch(ignoring('NotFound'))
  }

  #note(name: string, reason: string): void {
    const key = `${name} ${reason}`
    const known = this.lost.get(key) ?? { name, reason, count: 0 }
    known.count++
    this.lost.set(key, known)
  }

  /** Drops the state of a deleted APIService. */
  forget(name: string): void {
    this.#watched.get(name)?.cancel()
    this.#watched.delete(name)
    for (const [key, known] of this.lost) if (known.name === name) this.lost.delete(key)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const stop of this.#stops) stop()
    for (const { cancel } of this.#watched.values()) cancel()
    await Promise.all(this.#running)
  }
}
