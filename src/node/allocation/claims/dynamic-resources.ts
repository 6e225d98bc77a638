import type { Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import { messageOf } from '../../../base/message-of.ts'
import { onAbort } from '../../../base/on-abort.ts'
import { Signal } from '../../../base/signal.ts'
import type { ResourceStatus } from '../../../resources/types/core.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { DynamicResource } from '../../../sdk/node-api/pod-resources.ts'
import type { ContainerAdditions } from '../../runtime/container-spec.ts'
import type { AdmitHandler, HeldBack } from '../../types/admit-handler.ts'
import type { Container, Pod } from '../../types/pod.ts'
import { ClaimError } from './claim.ts'
import { type ClaimMetrics, createClaimMetrics } from './claim-metrics.ts'
import { ClaimPreparer } from './claim-preparer.ts'
import { cdiDevicesOf, claimResources, healthOf } from './claim-views.ts'
import { HealthBook } from './drivers/device-health.ts'
import type { DriverConnection } from './drivers/driver-connection.ts'
import { DriverRegistry } from './drivers/driver-registry.ts'
import { followHealth } from './drivers/follow-health.ts'
import { wipeSlices } from './drivers/wipe-slices.ts'
import { isProvidedByClaim, requestsOf } from './pod-claims.ts'

export interface DynamicResourcesDeps {
  /** Authenticates as the node. */
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly nodeName: string
  /** Records an event about the node. */
  readonly notify: (reason: string, message: string) => void
  /** The checkpoint file; undefined text: it does not exist yet. */
  readonly checkpoint: { read(): string | undefined; write(text: string): void }
}

/** Retry delay of a pod whose claims could not be prepared, unless a driver registers before: the middle of the kubelet's 60 to 90 s. */
export const PREPARE_RETRY_MS = 75_000
/** How often unpreparing the claims of deleted pods is retried, as the kubelet's. */
export const RECONCILE_MS = 60_000

/**
 * The claims of one node's pods: drivers prepare them before a sandbox is created, and unprepare them when the last pod that uses them has
 * stopped.
 */
export class DynamicResources implements AdmitHandler, AsyncDisposable {
  readonly name = 'dynamic resources'
  readonly drivers: DriverRegistry
  readonly metrics: ClaimMetrics = createClaimMetrics(() => this.#preparer.claims.all())
  readonly #deps: DynamicResourcesDeps
  readonly #health = new HealthBook()
  readonly #stop = new AbortController()
  readonly #podListeners = new Set<(podUid: string) => void>()
  /** Pods whose last preparation failed. */
  readonly #waiting = new Set<string>()
  /** Deleted pods with claims that are still prepared. */
  readonly #left = new Set<string>()
  readonly #leftAgain = new Signal()
  readonly #background = new Set<Promise<void>>()
  readonly #preparer: ClaimPreparer

  constructor(deps: DynamicResourcesDeps) {
    this.#deps = deps
    const { clock, log } = deps
    this.drivers = new DriverRegistry({
      clock,
      log,
      wipe: (driver) => this.#inBackground(wipeSlices(deps, driver, this.#stop.signal)),
      usable: () => this.#usable(),
      follow: (driver, connection, signal) => this.#follow(driver, connection, signal),
    })
    const { client, checkpoint } = deps
    const warn = (reason: string, message: string) => this.#warn(reason, message)
    this.#preparer = new ClaimPreparer({ client, clock, warn, checkpoint, drivers: this.drivers, metrics: this.metrics })
  }

  /** Starts the background work. */
  start(): void {
    // No driver has registered yet, and perhaps none will: slices of an earlier run must not be offered until then.
    this.#inBackground(wipeSlices(this.#deps, undefined, this.#stop.signal))
    this.#inBackground(this.#reconcile(this.#stop.signal))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.drivers[Symbol.asyncDispose]()
    await Promise.all(this.#background)
  }

  // ── pods ────────────────────────────────────────────────────────────────────────────────────────────────────────

  async admit(): Promise<undefined> {
    return undefined
  }

  async beforeSandbox(pod: Pod, signal: AbortSignal): Promise<HeldBack | undefined> {
    const uid = pod.metadata.uid ?? ''
    try {
      await this.#preparer.prepare(pod, signal)
      this.#waiting.delete(uid)
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      this.#waiting.add(uid)
      const message = `Failed to prepare dynamic resources: prepare dynamic resources: ${messageOf(error)}`
      return { reason: 'FailedPrepareDynamicResources', message, retryMs: PREPARE_RETRY_MS }
    }
  }

  async beforeStart(pod: Pod, container: Container, signal: AbortSignal): Promise<void> {
    const missing = requestsOf(pod, container).find(
      ({ claim }) => this.#preparer.claims.get(pod.metadata.namespace ?? '', claim) === undefined,
    )
    // The checkpoint was lost while the pod ran.
    if (missing !== undefined) await this.#preparer.prepare(pod, signal)
  }

  additions(pod: Pod, container: Container): ContainerAdditions | undefined {
    const cdiDevices = cdiDevicesOf(this.#preparer.claims, pod, requestsOf(pod, container))
    return cdiDevices.length === 0 ? undefined : { cdiDevices }
  }

  async afterStop(pod: Pod, signal: AbortSignal): Promise<void> {
    const uid = pod.metadata.uid ?? ''
    try {
      await this.#preparer.unprepare(uid, signal)
      this.#waiting.delete(uid)
    } catch (error) {
      this.#waiting.add(uid)
      throw new ClaimError(`unprepare dynamic resources: ${messageOf(error)}`, { cause: error })
    }
  }

  release(pod: Pod): void {
    this.#waiting.delete(pod.metadata.uid ?? '')
  }

  retain(uids: ReadonlySet<string>): void {
    for (const uid of this.#preparer.claims.pods()) if (!uids.has(uid)) this.#left.add(uid)
    this.#leftAgain.raise()
  }

  accountsFor(pod: Pod, resource: string): boolean {
    return isProvidedByClaim(pod, resource)
  }

  resourceHealth(pod: Pod, container: string): readonly ResourceStatus[] {
    const now = this.#deps.clock.now()
    return healthOf(this.#preparer.claims, pod, container, (driver, pool, device) => this.#health.get(driver, pool, device, now))
  }

  watchPods(changed: (podUid: string) => void, signal: AbortSignal): void {
    this.#podListeners.add(changed)
    onAbort(signal, () => this.#podListeners.delete(changed))
  }

  /** The claims of a container, for PodResources and reports. */
  held(pod: Pod, container: Container): readonly DynamicResource[] {
    return claimResources(this.#preparer.claims, pod, container)
  }

  // ── drivers ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A driver can be reached (again): pods that wait for one are retried at once. */
  #usable(): void {
    for (const uid of this.#waiting) this.#look(uid)
    this.#leftAgain.raise()
  }

  #look(uid: string): void {
    for (const listener of this.#podListeners) listener(uid)
  }

  async #follow(driver: string, connection: DriverConnection, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps
    const changed = (devices: ReadonlySet<string>) => {
      if (devices.size === 0) return
      for (const uid of this.#preparer.claims.podsWith(driver, (pool, device) => devices.has(`${pool}/${device}`))) this.#look(uid)
    }
    const notify = (reason: string, message: string) => this.#warn(reason, message)
    await followHealth({ driver, connection, book: this.#health, clock, log, changed, notify }, signal)
  }

  // ── deleted pods ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Unprepares the claims of deleted pods that have no worker any more. */
  async #reconcile(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps
    while (!signal.aborted) {
      for (const uid of this.#left) {
        try {
          await this.#preparer.unprepare(uid, signal)
          this.#left.delete(uid)
        } catch (error) {
          if (!signal.aborted) log.warn('what a pod has left cannot be given back, trying again', { podUid: uid, error })
        }
      }
      await this.#leftAgain.wait({ clock, untilMs: this.#left.size === 0 ? undefined : clock.now() + RECONCILE_MS, signal })
    }
  }

  /** Work that never rejects. */
  #inBackground(work: Promise<void>): void {
    const tracked = work.finally(() => this.#background.delete(tracked))
    this.#background.add(tracked)
  }

  #warn(reason: string, message: string): void {
    this.#deps.log.warn(message)
    this.#deps.notify(reason, message)
  }
}
