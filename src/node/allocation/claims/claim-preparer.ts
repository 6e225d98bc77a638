import type { Clock } from '../../../base/clock.ts'
import { KeyMutex } from '../../../base/key-mutex.ts'
import { messageOf } from '../../../base/message-of.ts'
import { RESOURCE_CLAIMS } from '../../../resources/refs.ts'
import type { Client } from '../../../sdk/client/client.ts'
import { GrpcError } from '../../../sdk/grpc/grpc-error.ts'
import { type ClaimReference, DRA_PLUGIN, type DraService } from '../../../sdk/node-api/dra-plugin.ts'
import type { Pod } from '../../types/pod.ts'
import { type Claim, ClaimError } from './claim.ts'
import { readClaims, writeClaims } from './claim-checkpoint.ts'
import type { ClaimMetrics } from './claim-metrics.ts'
import { CALL_LIMIT_MS, type DriverConnection } from './drivers/driver-connection.ts'
import type { DriverRegistry } from './drivers/driver-registry.ts'
import { checkUnprepared, planPrepare, planUnprepare, readPrepared } from './plan-claims.ts'
import { admitted, claimsOf } from './pod-claims.ts'
import { type PreparedClaim, PreparedClaims } from './prepared-claims.ts'

export interface ClaimPreparerDeps {
  /** Authenticates as the node. */
  readonly client: Client
  readonly clock: Clock
  /** Reports a problem of the node: in the log, and as an event. */
  readonly warn: (reason: string, message: string) => void
  /** The checkpoint file; undefined text: it does not exist yet. */
  readonly checkpoint: { read(): string | undefined; write(text: string): void }
  readonly drivers: Pick<DriverRegistry, 'get'>
  readonly metrics: Pick<ClaimMetrics, 'operated' | 'called'>
}

/**
 * Calls drivers to prepare and unprepare claims, and records which are prepared. Everything rejects with `ClaimError` and the kubelet's
 * message.
 */
export class ClaimPreparer {
  readonly claims: PreparedClaims
  readonly #deps: ClaimPreparerDeps
  readonly #mutex = new KeyMutex()

  constructor(deps: ClaimPreparerDeps) {
    this.#deps = deps
    this.claims = this.#restored()
  }

  /** Prepares the claims of a pod. */
  prepare(pod: Pod, signal: AbortSignal): Promise<void> {
    return this.#timed('PrepareResources', () => this.#prepare(pod, signal))
  }

  /** Unprepares the claims that no other pod uses. */
  unprepare(podUid: string, signal: AbortSignal): Promise<void> {
    return this.#timed('UnprepareResources', () => this.#unprepare(podUid, signal))
  }

  async #timed(operation: 'PrepareResources' | 'UnprepareResources', work: () => Promise<void>): Promise<void> {
    const { clock } = this.#deps
    const sinceMs = clock.monotonic()
    let failed = true
    try {
      await work()
      failed = false
    } finally {
      this.#deps.metrics.operated(operation, failed, (clock.monotonic() - sinceMs) / 1000)
    }
  }

  async #prepare(pod: Pod, signal: AbortSignal): Promise<void> {
    const uses = claimsOf(pod)
    if (uses.length === 0) return
    const { uid = '', namespace = '' } = pod.metadata
    await this.#mutex.run(
      uses.map((u) => `${namespace}/${u.claim}`),
      async () => {
        signal.throwIfAborted()
        const wanted: Omit<PreparedClaim, 'pods'>[] = []
        for (const use of uses) {
          const want = admitted(pod, use, await this.#read(namespace, use.claim, signal))
          for (const driver of want.drivers.keys()) this.#deps.drivers.get(driver)
          wanted.push(want)
        }
        const plan = planPrepare(this.claims, uid, wanted)
        for (const claim of plan.known) this.claims.put(claim)
        // Saved before the drivers are called: whatever happens then, the claims are unprepared when the pod is gone.
        this.#save('checkpoint ResourceClaim cache')
        for (const [driver, claims] of plan.batches) {
          const answer = await this.#ask('NodePrepareResources', driver, claims, (connection) => connection.prepare(claims, signal))
          const prepared = readPrepared(claims, answer)
          for (const { namespace: ns, name } of plan.requested) this.#ready(ns, name, driver, prepared)
        }
        for (const { namespace: ns, name } of plan.requested) this.#change(ns, name, (c) => ({ ...c, prepared: true }))
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
    const claim = this.claims.get(namespace, name)
    if (claim !== undefined) this.claims.put(change(claim))
  }

  async #read(namespace: string, name: string, signal: AbortSignal): Promise<Claim> {
    try {
      return await this.#deps.client.get<Claim>({ ...RESOURCE_CLAIMS, namespace, name }, { signal })
    } catch (error) {
      throw new ClaimError(`fetch ResourceClaim ${name}: ${messageOf(error)}`, { cause: error })
    }
  }

  async #unprepare(uid: string, signal: AbortSignal): Promise<void> {
    const used = this.claims.ofPod(uid)
    if (used.length === 0) return
    await this.#mutex.run(
      used.map((c) => `${c.namespace}/${c.name}`),
      async () => {
        signal.throwIfAborted()
        const plan = planUnprepare(this.claims, uid)
        for (const claim of plan.known) this.claims.put(claim)
        for (const [driver, claims] of plan.batches) {
          const answer = await this.#ask('NodeUnprepareResources', driver, claims, (connection) => connection.unprepare(claims, signal))
          checkUnprepared(claims, answer)
        }
        for (const claim of plan.requested) this.claims.remove(claim)
        this.#save('checkpoint ResourceClaim state')
      },
    )
  }

  /** Calls a driver. A driver that exceeds the time limit or the size limit is named in a warning event. */
  async #ask<T>(
    method: Method,
    driver: string,
    claims: readonly ClaimReference[],
    call: (connection: DriverConnection) => Promise<T>,
  ): Promise<T> {
    const connection = this.#deps.drivers.get(driver)
    const sinceMs = this.#deps.clock.monotonic()
    const called = (code: string) =>
      this.#deps.metrics.called(driver, pathOf(connection.service, method), code, (this.#deps.clock.monotonic() - sinceMs) / 1000)
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
        this.#deps.warn('DRADriverFails', `the driver ${driver} does not answer ${method} for ${names}${limit}: ${error.message}`)
      }
      throw new ClaimError(`${method}: ${messageOf(error)}`, { cause: error })
    }
  }

  #restored(): PreparedClaims {
    try {
      const text = this.#deps.checkpoint.read()
      return new PreparedClaims(text === undefined ? [] : readClaims(text))
    } catch (error) {
      // The kubelet would not start here. Running pods go on; drivers accept a second prepare call for a prepared claim.
      this.#deps.warn('DRACheckpointUnreadable', `the checkpoint of prepared claims cannot be used: ${messageOf(error)}`)
      return new PreparedClaims()
    }
  }

  #save(what: string): void {
    try {
      this.#deps.checkpoint.write(writeClaims(this.claims.all()))
    } catch (error) {
      throw new ClaimError(`${what}: could not save checkpoint dra_manager_state: ${messageOf(error)}`, { cause: error })
    }
  }
}
type Method = 'NodePrepareResources' | 'NodeUnprepareResources'

const pathOf = (service: DraService, method: Method) =>
  DRA_PLUGIN[service][method === 'NodePrepareResources' ? 'prepare' : 'unprepare'].path
