import { type Clock, systemClock } from '../../base/clock.ts'
import { quiet } from '../../base/quiet.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Client, Target } from '../../sdk/client/client.ts'
import { loadKubeconfig } from '../../sdk/client/kubeconfig.ts'
import { type OpenProgram, openProgram } from './program/open-program.ts'
import type { OperatorProcess, OperatorProgram } from './program/operator-process.ts'
import { isWrite, type TrialCall } from './program/trial-call.ts'
import { TrialProxy } from './program/trial-proxy.ts'
import { type ObjectEvent, type ObjectHistory, watchHistory } from './report/object-history.ts'
import { type State, stateOf } from './state.ts'
import { Touches } from './touches.ts'
import { everything, keyOf, refOf, type TrialBase, targetOf } from './trial-base.ts'
import { until } from './until.ts'

/** What is tried, and how patiently. */
export interface TrialSetup {
  readonly program: OperatorProgram
  /** The cluster as it is before the operator. */
  readonly base: TrialBase
  /** The objects that it is to act on. */
  readonly samples: readonly KubeObject[]
  /** How long it may take for each thing, in milliseconds. */
  readonly patienceMs: number
  /** An operator without writes for so long is idle, in milliseconds. */
  readonly quietMs: number
  /** How often it is started again in a world when it has ended by itself, as a kubelet would. Default 0. */
  readonly restarts?: number
  /** Called with each world when it ends. */
  readonly ended: (world: TrialWorld) => void
}

/** A clock that can jump; timers keep their remaining time. */
export interface JumpingClock extends Clock {
  jump(ms: number): void
}

function jumpingClock(): JumpingClock {
  let offsetMs = 0
  const jump = (ms: number) => {
    offsetMs += ms
  }
  return { ...systemClock, now: () => systemClock.now() + offsetMs, jump }
}

/** What the trial itself does, at its time. */
export interface TrialMark {
  readonly atMs: number
  readonly what: string
}

/** The events of a trial cluster, for its timeline. Times are milliseconds since its start. */
export interface TrialScene {
  readonly calls: readonly TrialCall[]
  /** How many more requests there were. */
  readonly callsLeftOut: number
  readonly marks: readonly TrialMark[]
  readonly objects: readonly ObjectEvent[]
  /** The last of what the operator has printed. */
  readonly said: string
}

/** More are not shown: a browser has to draw a mark for each. */
const MOST_CALLS_SHOWN = 2000

interface WorldParts {
  readonly cluster: Cluster
  readonly client: Client
  readonly proxy: TrialProxy
  readonly program: OpenProgram
  readonly clock: JumpingClock
}

/** A cluster for one trial, with the operator behind the proxy. */
export class TrialWorld implements AsyncDisposable {
  readonly client: Client
  readonly proxy: TrialProxy
  readonly operator: OperatorProcess
  readonly clock: JumpingClock
  readonly marks: TrialMark[] = []
  readonly touches: Touches
  #history: ObjectHistory | undefined
  #restarts = 0
  readonly #setup: TrialSetup
  readonly #parts: WorldParts

  private constructor(setup: TrialSetup, parts: WorldParts) {
    this.client = parts.client
    this.touches = new Touches(parts.client)
    this.proxy = parts.proxy
    this.operator = parts.program.operator
    this.clock = parts.clock
    this.#setup = setup
    this.#parts = parts
  }

  static async open(setup: TrialSetup): Promise<TrialWorld> {
    const clock = jumpingClock()
    const { certificate, certs } = setup.base
    const cluster = await setup.base.copy(clock)
    const client = cluster.client()
    const address = await cluster.listen()
    const { ca = '', cert = '', key = '' } = await loadKubeconfig(cluster.kubeconfig())
    const proxy = await TrialProxy.open({
      certificate,
      upstream: { address, ca, cert, key },
      life: () => program.operator.life,
      versionOf: (target) => versionOf(client, target),
    })
    const program = openProgram(setup.program, { proxy, certs })
    return new TrialWorld(setup, { cluster, client, proxy, program, clock })
  }

  /** Writes down, from now on, when objects of these kinds come, change and go. */
  async watchObjects(kinds: ReadonlySet<string>): Promise<void> {
    this.#history = await watchHistory(this.client, this.#resourcesOf(kinds).map(refOf), () => this.proxy.nowMs())
  }

  private get history(): ObjectHistory['events'] {
    return (this.#history?.events ?? []).filter((e) => !this.#setup.base.before.has(e.key))
  }

  /** What has happened here. */
  get scene(): TrialScene {
    const { calls } = this.proxy
    return {
      calls: calls.slice(0, MOST_CALLS_SHOWN),
      callsLeftOut: Math.max(0, calls.length - MOST_CALLS_SHOWN),
      marks: [...this.marks],
      objects: this.history,
      said: this.operator.output,
    }
  }

  /** Writes down what the trial does now. */
  mark(what: string): void {
    this.marks.push({ atMs: this.proxy.nowMs(), what })
  }

  /** Creates the samples. @throws {StatusError} when one is refused for longer than the operator may need to serve its webhooks */
  async createSamples(): Promise<void> {
    for (const sample of this.#setup.samples) {
      const { name: _name, ...collection } = this.target(sample)
      let last: unknown
      const made = await until(async () => {
        try {
          await this.client.create(collection, sample)
          return true
        } catch (error) {
          last = error
          return isStatus(error, 'AlreadyExists')
        }
      }, this.#setup.patienceMs)
      if (!made) throw last
    }
  }

  /** Where an object is to be found. @throws {Error} when the cluster does not have its kind */
  target(object: Readonly<KubeObject>): Target {
    return targetOf(object, this.#setup.base.resources)
  }

  /** Resolves with whether the operator came to rest: in its present life it has looked at something, and written nothing for a while. */
  async isIdle(): Promise<boolean> {
    const { quietMs, patienceMs, restarts = 0 } = this.#setup
    const { proxy, operator } = this
    let seen = -1
    let sinceMs = systemClock.monotonic()
    let quiet = false
    await until(async () => {
      if (!operator.running && this.#restarts < restarts) {
        this.#restarts++
        this.mark('it has ended, and is started again')
        await this.killAndRestart()
      }
      const now = systemClock.monotonic()
      if (proxy.writes !== seen || !proxy.looked.has(operator.life) || proxy.underway > 0) {
        seen = proxy.writes
        sinceMs = now
      }
      quiet = now - sinceMs >= quietMs
      return quiet || proxy.flooded || !operator.running
    }, patienceMs)
    return quiet && !proxy.flooded && operator.running
  }

  /** The operator's objects, and the samples: all objects of kinds that it ever wrote (here, or in `also`) that did not exist before. */
  async state(also: ReadonlySet<string>): Promise<State> {
    const samples = new Set(this.#setup.samples.map((s) => s.kind))
    const found = await everything(this.client, this.#resourcesOf(also))
    return stateOf(
      found.filter((o) => !this.#setup.base.before.has(keyOf(o))),
      (o) => samples.has(o.kind),
    )
  }

  /** Objects that the operator made, samples left out. */
  async children(also: ReadonlySet<string>): Promise<Readonly<KubeObject>[]> {
    const samples = new Set(this.#setup.samples.map((s) => s.kind))
    const resources = this.#resourcesOf(also).filter((r) => !samples.has(r.kind))
    return (await everything(this.client, resources)).filter((o) => !this.#setup.base.before.has(keyOf(o)))
  }

  #resourcesOf(also: ReadonlySet<string>): TrialBase['resources'] {
    const kinds = new Set([...also, ...this.writtenKinds()])
    const samples = new Set(this.#setup.samples.map((s) => s.kind))
    return this.#setup.base.resources.filter((r) => kinds.has(`${r.group}/${r.resource}`) || samples.has(r.kind))
  }

  /** `GROUP/RESOURCE` of all that it wrote. */
  writtenKinds(): ReadonlySet<string> {
    const writes = this.proxy.calls.filter((c) => isWrite(c) && c.target?.subresource === '')
    return new Set(writes.map(({ target }) => `${target?.group ?? ''}/${target?.resource ?? ''}`))
  }

  /** Its writes since a moment (an index of `proxy.calls`). */
  writesSince(first: number): TrialCall[] {
    return this.proxy.calls.slice(first).filter(isWrite)
  }

  /** Kills the program, deletes the lease that it could not release, and starts it again. */
  async killAndRestart(): Promise<void> {
    await this.operator.kill()
    await this.forgetLeases()
    this.operator.start()
  }

  /** A successor would have to wait for the lease: that would be a trial of patience only. */
  async forgetLeases(): Promise<void> {
    const leases = new Map(this.proxy.calls.flatMap(({ target, path }) => (target?.resource === 'leases' ? [[path, target]] : [])))
    for (const { name, group, version, namespace } of leases.values())
      if (name !== '') await quiet(this.client.delete({ group, version, resource: 'leases', namespace, name }), 'it may be gone')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#setup.ended(this)
    await this.#history?.[Symbol.asyncDispose]()
    const { program, proxy, cluster } = this.#parts
    for (const part of [program, proxy, cluster]) await part[Symbol.asyncDispose]()
  }
}

async function versionOf(client: Client, target: Target & { readonly subresource?: string }): Promise<string | undefined> {
  const { group, version, resource, namespace, name } = target
  const place = namespace === undefined || namespace === '' ? {} : { namespace }
  const found = await client.get({ group, version, resource, ...place, ...(name === undefined ? {} : { name }) }).catch(() => undefined)
  return found?.metadata.resourceVersion
}
