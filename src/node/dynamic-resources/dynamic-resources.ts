import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { Signal } from '../../base/signal.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { Client } from '../../sdk/client/client.ts'
import { RESOURCE_CLAIMS } from '../../sdk/client/refs.ts'
import { GrpcError } from '../../sdk/grpc/grpc-error.ts'
import { type ClaimReference, DRA_PLUGIN, type DraService } from '../../sdk/node-api/dra-plugin.ts'
import type { DynamicResource } from '../../sdk/node-api/pod-resources.ts'
import type { AdmitHandler, HeldBack } from '../admission/admit-handler.ts'
import { Lanes } from '../devices/lanes.ts'
import type { Container, Pod } from '../pod/pod-types.ts'
import type { ContainerAdditions } from '../runtime/container-spec.ts'
import { type Claim, ClaimError } from './claim.ts'
import { readClaims, writeClaims } from './claim-checkpoint.ts'
import { type ClaimMetrics, createClaimMetrics } from './claim-metrics.ts'
import { cdiDevicesOf, claimResources, healthOf } from './claim-views.ts'
import { HealthBook } from './device-health.ts'
import { CALL_LIMIT_MS, type DriverConnection } from './driver-connection.ts'
import { DriverRegistry } from './driver-registry.ts'
import { followHealth } from './follow-health.ts'
import { checkUnprepared, planPrepare, planUnprepare, readPrepared } from './plan-claims.ts'
import { admitted, claimsOf, requestsOf, standsFor } from './pod-claims.ts'
import { type PreparedClaim, PreparedClaims } from './prepared-claims.ts'
import { wipeSlices } from './wipe-slices.ts'

export interface DynamicResourcesDeps {
  /** As the node. */
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly nodeName: string
  /** Says something of the node that people should know: an event. */
  readonly tell: (reason: string, message: string) => void
  /** Where the checkpoint lies; undefined text: there is none yet. */
  readonly checkpoint: { read(): string | undefined; write(text: string): void }
}

/** How long until a pod whose claims could not be made ready is tried again, if no driver comes before: the middle of the kubelet's 60 to 90 s. */
export const PREPARE_RETRY_MS = 75_000
/** How often what pods have left is tried to be given back, as the kubelet's. */
export const RECONCILE_MS = 60_000

/** The claims of one node's pods: drivers make them ready before a sandbox is made, and take them back when the last of the pods that use them has stopped. */
export class DynamicResources implements AdmitHandler, AsyncDisposable {
  readonly name = 'dynamic resources'
  readonly drivers: DriverRegistry
  readonly metrics: ClaimMetrics = createClaimMetrics(() => this.#claims.all())
  readonly #deps: DynamicResourcesDeps
  readonly #health = new HealthBook()
  readonly #lanes = new Lanes()
  readonly #stop = new AbortController()
  readonly #podListeners = new Set<(podUid: string) => void>()
  /** Pods that could not be helped when last tried. */
  readonly #waiting = new Set<string>()
  /** Pods that have gone, and have left something. */
  readonly #left = new Set<string>()
  readonly #leftAgain = new Signal()
  readonly #background = new Set<Promise<void>>()
  #claims: PreparedClaims

  constructor(deps: DynamicResourcesDeps) {
    this.#deps = deps
    this.#claims = this.#restored()
    const { clock, log } = deps
    this.drivers = new DriverRegistry({
      clock,
      log,
      wipe: (driver) => this.#inBackground(wipeSlices(deps, driver, this.#stop.signal)),
      usable: () => this.#usable(),
      follow: (driver, connection, signal) => this.#follow(driver, connection, signal),
    })
  }

  /** Begins to look after the node. */
  start(): void {
    // No driver has come yet, and perhaps none will: nothing is offered before one has.
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
      await this.#timed('PrepareResources', () => this.#prepare(pod, signal))
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
    const missing = requestsOf(pod, container).find(({ claim }) => this.#claims.get(pod.metadata.namespace ?? '', claim) === undefined)
    // The checkpoint was lost while the pod ran.
    if (missing !== undefined) await this.#prepare(pod, signal)
  }

  additions(pod: Pod, container: Container): ContainerAdditions | undefined {
    const cdiDevices = cdiDevicesOf(this.#claims, pod, requestsOf(pod, container))
    return cdiDevices.length === 0 ? undefined : { cdiDevices }
  }

  async afterStop(pod: Pod, signal: AbortSignal): Promise<void> {
    const uid = pod.metadata.uid ?? ''
    try {
      await this.#timed('UnprepareResources', () => this.#unprepare(uid, signal))
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
    for (const uid of this.#claims.pods()) if (!uids.has(uid)) this.#left.add(uid)
    this.#leftAgain.raise()
  }

  settles(pod: Pod, resource: string): boolean {
    return standsFor(pod, resource)
  }

  resourceHealth(pod: Pod, container: string): readonly JsonObject[] {
    const now = this.#deps.clock.now()
    return healthOf(this.#claims, pod, container, (driver, pool, device) => this.#health.get(driver, pool, device, now))
  }

  watchPods(changed: (podUid: string) => void, signal: AbortSignal): void {
    this.#podListeners.add(changed)
    signal.addEventListener('abort', () => this.#podListeners.delete(changed), { once: true })
  }

  /** The claims of a container, for those who ask what pods hold. */
  held(pod: Pod, container: Container): readonly DynamicResource[] {
    return claimResources(this.#claims, pod, container)
  }

  // ── drivers ─────────────────────────────────────────────────────────────────────────────────────────────────────

  async #prepare(pod: Pod, signal: AbortSignal): Promise<void> {
    const uses = claimsOf(pod)
    if (uses.length === 0) return
    const { uid = '', namespace = '' } = pod.metadata
    await this.#lanes.run(
      uses.map((u) => `${namespace}/${u.claim}`),
      async () => {
        signal.throwIfAborted()
        const wanted: Omit<PreparedClaim, 'pods'>[] = []
        for (const use of uses) {
          const want = admitted(pod, use, await this.#claim(namespace, use.claim, signal))
          for (const driver of want.drivers.keys()) this.drivers.get(driver)
          wanted.push(want)
        }
        const plan = planPrepare(this.#claims, uid, wanted)
        for (const claim of plan.known) this.#claims.put(claim)
        // Whatever happens while drivers are asked: the claims are given back when the pod has gone.
        this.#save('checkpoint ResourceClaim cache')
        for (const [driver, claims] of plan.batches) {
          const answer = await this.#ask('NodePrepareResources', driver, claims, (connection) => connection.prepare(claims, signal))
          const prepared = readPrepared(claims, answer)
          for (const { namespace: ns, name } of plan.asked) this.#ready(ns, name, driver, prepared)
        }
        for (const { namespace: ns, name } of plan.asked) this.#change(ns, name, (c) => ({ ...c, prepared: true }))
        this.#save('checkpoint ResourceClaim state')
      },
    )
  }

  #ready(namespace: string, name: string, driver: string, prepared: ReturnType<typeof readPrepared>): void {
    this.#change(namespace, name, (claim) => {
      const devices = prepared.get(claim.uid)
      return devices === undefined ? claim : { ...claim, drivers: new Map([...claim.drivers, [driver, devices]]) }
    })
  }

  #change(namespace: string, name: string, change: (claim: PreparedClaim) => PreparedClaim): void {
    const claim = this.#claims.get(namespace, name)
    if (claim !== undefined) this.#claims.put(change(claim))
  }

  async #claim(namespace: string, name: string, signal: AbortSignal): Promise<Claim> {
    try {
      return await this.#deps.client.get<Claim>({ ...RESOURCE_CLAIMS, namespace, name }, { signal })
    } catch (error) {
      throw new ClaimError(`fetch ResourceClaim ${name}: ${messageOf(error)}`, { cause: error })
    }
  }

  async #unprepare(uid: string, signal: AbortSignal): Promise<void> {
    const used = this.#claims.ofPod(uid)
    if (used.length === 0) return
    await this.#lanes.run(
      used.map((c) => `${c.namespace}/${c.name}`),
      async () => {
        signal.throwIfAborted()
        const plan = planUnprepare(this.#claims, uid)
        for (const claim of plan.known) this.#claims.put(claim)
        for (const [driver, claims] of plan.batches) {
          const answer = await this.#ask('NodeUnprepareResources', driver, claims, (connection) => connection.unprepare(claims, signal))
          checkUnprepared(claims, answer)
        }
        for (const claim of plan.asked) this.#claims.remove(claim)
        this.#save('checkpoint ResourceClaim state')
      },
    )
  }

  async #timed(operation: 'PrepareResources' | 'UnprepareResources', work: () => Promise<void>): Promise<void> {
    const { clock } = this.#deps
    const sinceMs = clock.monotonic()
    let failed = true
    try {
      await work()
      failed = false
    } finally {
      this.metrics.operated(operation, failed, (clock.monotonic() - sinceMs) / 1000)
    }
  }

  /** A driver that does not answer in time, or with too much, is named to those who look after the node. */
  async #ask<T>(
    method: Method,
    driver: string,
    claims: readonly ClaimReference[],
    call: (connection: DriverConnection) => Promise<T>,
  ): Promise<T> {
    const connection = this.drivers.get(driver)
    const sinceMs = this.#deps.clock.monotonic()
    const called = (code: string) =>
      this.metrics.called(driver, pathOf(connection.service, method), code, (this.#deps.clock.monotonic() - sinceMs) / 1000)
    try {
      const answer = await call(connection)
      called('OK')
      return answer
    } catch (error) {
      called(error instanceof GrpcError ? error.code : 'Unknown')
      if (
        error instanceof GrpcError &&
        (error.code === 'DeadlineExceeded' || error.code === 'ResourceExhausted' || error.code === 'Internal')
      ) {
        const names = claims.map((c) => `${c.namespace}/${c.name}`).join(', ')
        const limit = error.code === 'DeadlineExceeded' ? ` within ${CALL_LIMIT_MS / 1000} s` : ''
        this.#warn('DRADriverFails', `the driver ${driver} does not answer ${method} for ${names}${limit}: ${error.message}`)
      }
      throw new ClaimError(`${method}: ${messageOf(error)}`, { cause: error })
    }
  }

  /** A driver is there (again): who waits for one tries at once. */
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
      for (const uid of this.#claims.podsWith(driver, (pool, device) => devices.has(`${pool}/${device}`))) this.#look(uid)
    }
    const tell = (reason: string, message: string) => this.#warn(reason, message)
    await followHealth({ driver, connection, book: this.#health, clock, log, changed, tell }, signal)
  }

  // ── what is left ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Gives back what pods have left that nobody leads to their end any more. */
  async #reconcile(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps
    while (!signal.aborted) {
      for (const uid of this.#left) {
        try {
          await this.#unprepare(uid, signal)
          this.#left.delete(uid)
        } catch (error) {
          if (!signal.aborted) log.warn('what a pod has left cannot be given back, trying again', { podUid: uid, error })
        }
      }
      await this.#leftAgain.wait({ clock, untilMs: this.#left.size === 0 ? undefined : clock.now() + RECONCILE_MS, signal })
    }
  }

  // ── the checkpoint ──────────────────────────────────────────────────────────────────────────────────────────────

  #restored(): PreparedClaims {
    try {
      const text = this.#deps.checkpoint.read()
      return new PreparedClaims(text === undefined ? [] : readClaims(text))
    } catch (error) {
      // The kubelet would not start. What runs goes on, and what is made ready again is ready for drivers already.
      this.#warn('DRACheckpointUnreadable', `the checkpoint of prepared claims cannot be used: ${messageOf(error)}`)
      return new PreparedClaims()
    }
  }

  #save(what: string): void {
    try {
      this.#deps.checkpoint.write(writeClaims(this.#claims.all()))
    } catch (error) {
      throw new ClaimError(`${what}: could not save checkpoint dra_manager_state: ${messageOf(error)}`, { cause: error })
    }
  }

  /** Work that never rejects. */
  #inBackground(work: Promise<void>): void {
    const tracked = work.finally(() => this.#background.delete(tracked))
    this.#background.add(tracked)
  }

  #warn(reason: string, message: string): void {
    this.#deps.log.warn(message)
    this.#deps.tell(reason, message)
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

type Method = 'NodePrepareResources' | 'NodeUnprepareResources'

const pathOf = (service: DraService, method: Method) =>
  DRA_PLUGIN[service][method === 'NodePrepareResources' ? 'prepare' : 'unprepare'].path
