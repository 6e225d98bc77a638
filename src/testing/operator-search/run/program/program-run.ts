import { systemClock } from '../../../../base/clock.ts'
import { quiet } from '../../../../base/quiet.ts'
import type { Target } from '../../../../machinery/api-call.ts'
import { loadKubeconfig } from '../../../../sdk/client/kubeconfig.ts'
import { openProgram } from '../../../operator-trial/program/open-program.ts'
import { type OperatorProcess, type OperatorProgram, wantedOthersPort } from '../../../operator-trial/program/operator-process.ts'
import { openNetworkProxy } from '../../answers/network-proxy.ts'
import { podNetwork } from '../../answers/pod-network.ts'
import type { OperatorRun, RunDeps } from '../operator-host.ts'
import { delivery } from './delivery.ts'
import { openProgramProxy } from './program-proxy.ts'
import { ProgramTraffic } from './program-traffic.ts'
import { activityOf, listens } from './thread-states.ts'

/**
 * A program waits for something when, for so long in real time, none of its threads has run and nothing has passed. controller-runtime
 * sends a request each 50 ms at most, after the first thirty.
 */
const QUIET_MS = 80
/** As above, before its first write: client-go polls every 100 ms whether its caches are filled. */
const START_QUIET_MS = 250
/**
 * As above, when its last write failed: client-go tries again after 5 ms, and each time after twice as long; some eight times are enough.
 */
const LONGEST_RETRY_MS = 1200
const FIRST_RETRY_MS = 100
/** As above, when its threads show that no timer is due soon: only an event can wake it. */
const SURE_QUIET_MS = 10
/**
 * A timer that is due so soon is waited for: it may be a retry, or a look whether caches are filled, for which client-go takes 100 ms. Its
 * work queues have a timer of 500 ms, which does nothing: the less is soon, the less often that one is waited for.
 */
const SOON_MS = 125
/** How long nothing has passed when such a timer has fired in vain, or a command in a pod says nothing more. */
const VAIN_QUIET_MS = SOON_MS + 50
/** A program that is busy for longer is not waited for. */
const PATIENCE_MS = 10_000
/** What a program prints when a part of it has crashed, and it goes on: Go, Rust, Python, Java. */
const PANIC =
  /^.*(?:panic: |Observed a panic|nil pointer dereference|thread '.*' panicked|NullPointerException|^(?:Type|Attribute|Name|Index|Key)Error: ).*$/m
/** How often it is looked at. */
const POLL_MS = 5

/** What the runs of a program know of each other. */
export interface SharedByRuns {
  /** Leases of earlier runs are removed, and those of this run added. */
  readonly leases: Map<string, Target>
  /** Whether a run has listened on a port, which another run could not have. Absent: no run has waited for something yet. */
  serves?: boolean
}

/** One run of a program, with its proxy. */
export class ProgramRun implements OperatorRun {
  readonly died: Promise<string>
  readonly #traffic = new ProgramTraffic()
  readonly #died = Promise.withResolvers<string>()
  readonly #opened: Promise<AsyncDisposable>
  #process: OperatorProcess | undefined
  readonly #survived: (how: string) => void
  readonly #heldWrites: () => number
  readonly #shared: SharedByRuns
  /** Whether no other run may be under way. */
  readonly #isAlone: boolean
  /** What had passed when it was last seen to wait. */
  #waitedAt = -1

  constructor(program: OperatorProgram, deps: RunDeps, shared: SharedByRuns) {
    this.died = this.#died.promise
    this.#shared = shared
    this.#isAlone = shared.serves !== false
    this.#survived = deps.rules.survived
    this.#heldWrites = deps.rules.heldWrites
    this.#opened = this.#open(program, deps)
    this.#opened.catch((error: unknown) => this.#died.resolve(`it cannot be started: ${error}`))
  }

  /** Resolves when the program waits for something, or is too busy to be waited for: with whether it has worked since the last time. */
  async idle(): Promise<boolean> {
    await this.#opened
    const worked = this.#waitedAt !== this.#traffic.passed
    let seen = -1
    let quietMs = 0
    for (let waitedMs = 0; this.#waitedAt !== this.#traffic.passed; waitedMs += POLL_MS) {
      // It is not waited for again before something passes.
      if (waitedMs >= PATIENCE_MS) this.#waitedAt = this.#traffic.passed
      if (this.#process?.running !== true) break
      if (PANIC.test(this.#process.output)) this.#survived(`it has crashed: ${PANIC.exec(this.#process.output)?.[0]}`)
      // Looks are counted, not time: on a loaded machine both the program and the looks are late.
      const { computes, dueMs } = activityOf(this.#process.pid ?? 0)
      quietMs = seen !== this.#traffic.passed || computes || this.#isExpected(dueMs) ? 0 : quietMs + POLL_MS
      seen = this.#traffic.passed
      if (quietMs >= this.#neededQuietMs(dueMs)) this.#waits(seen)
      else {
        await systemClock.sleep(POLL_MS)
        await delivery()
      }
    }
    return worked
  }

  #waits(passed: number): void {
    if (this.#waitedAt === -1) void this.#lookForPorts()
    this.#waitedAt = passed
  }

  async #lookForPorts(): Promise<void> {
    const serves = await listens(this.#process?.pid ?? 0)
    // One that has been killed meanwhile has none any more.
    if (this.#process?.running === true) this.#shared.serves = serves || this.#shared.serves === true
  }

  wasDisturbed(how: string): boolean {
    if (this.#isAlone || !wantedOthersPort(how)) return false
    this.#shared.serves = true
    return true
  }

  async linger(patienceMs: number): Promise<boolean> {
    const { written } = this.#traffic
    for (let waitedMs = 0; waitedMs < patienceMs && this.#process?.running === true; waitedMs += POLL_MS) {
      if (this.#traffic.written !== written) return true
      await systemClock.sleep(POLL_MS)
    }
    return false
  }

  /** `dueMs`: when its next timer is due; undefined: that does not show. */
  #neededQuietMs(dueMs: number | undefined): number {
    const { failures, written, streams } = this.#traffic
    if (dueMs !== undefined) return dueMs > SOON_MS && streams === 0 ? SURE_QUIET_MS : VAIN_QUIET_MS
    const usualMs = this.#waitedAt === -1 && written === 0 ? START_QUIET_MS : QUIET_MS
    return failures === 0 ? usualMs : Math.min(LONGEST_RETRY_MS, usualMs + FIRST_RETRY_MS * 2 ** failures)
  }

  async gone(): Promise<void> {
    const opened = await quiet(this.#opened, 'what could not be started has gone')
    await opened?.[Symbol.asyncDispose]()
  }

  /** Whether a response is due, or the program has yet to look at its cluster, and may do so before it is not waited for any more. */
  #isExpected(dueMs = 0): boolean {
    const { underway, looked, behind } = this.#traffic
    return underway > this.#heldWrites() || behind || (!looked && dueMs <= PATIENCE_MS)
  }

  async #open(program: OperatorProgram, { cluster, rules, home, answers }: RunDeps): Promise<AsyncDisposable> {
    const { leases } = this.#shared
    // A successor would wait for the lease of the killed one.
    for (const target of leases.values()) await quiet(cluster.client().delete(target), 'it may be gone')
    this.#traffic.leases = leases
    const address = await cluster.listen()
    const { ca = '', cert = '', key = '' } = await loadKubeconfig(cluster.kubeconfig())
    const upstream = { address, ca, cert, key }
    const proxy = await openProgramProxy({ certificate: home.certificate, upstream, rules, traffic: this.#traffic })
    const network = answers ? await openNetworkProxy(podNetwork(cluster.client(), rules.signal)) : undefined
    const env = { ...proxyVariables(network?.address), ...program.env }
    const opened = openProgram({ ...program, env }, { proxy, certs: home.certs })
    const { operator } = opened
    this.#process = operator
    if (!rules.signal.aborted) operator.start()
    void operator.ended.then(() => this.#died.resolve(operator.end))
    return {
      async [Symbol.asyncDispose]() {
        await opened[Symbol.asyncDispose]()
        await proxy[Symbol.asyncDispose]()
        await network?.[Symbol.asyncDispose]()
      },
    }
  }
}

/** What most HTTP clients read; the API server is not behind the proxy. */
function proxyVariables(address: string | undefined): Readonly<Record<string, string>> {
  if (address === undefined) return {}
  const own = '127.0.0.1,localhost'
  return { HTTP_PROXY: address, HTTPS_PROXY: address, NO_PROXY: own, http_proxy: address, https_proxy: address, no_proxy: own }
}
