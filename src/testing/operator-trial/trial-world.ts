import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Clock, systemClock } from '../../base/clock.ts'
import { type KubeObject, parseApiVersion } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Client, ResourceRef, Target } from '../../sdk/client/client.ts'
import { createDiscovery, type DiscoveredResource } from '../../sdk/client/discovery.ts'
import { loadKubeconfig } from '../../sdk/client/kubeconfig.ts'
import { startCluster } from '../start-cluster.ts'
import { OperatorProcess, type OperatorProgram } from './operator-process.ts'
import { type State, stateOf } from './state.ts'
import { isChatter, isWrite, openTrialProxy, type TrialCall, type TrialProxy } from './trial-proxy.ts'

/** What is tried, and how patiently. */
export interface TrialSetup {
  readonly program: OperatorProgram
  /** What has to be there before the operator: definitions, namespaces, configuration. */
  readonly install: readonly KubeObject[]
  /** The objects that it is to act on. */
  readonly samples: readonly KubeObject[]
  /** How long it may take for each thing, in milliseconds. */
  readonly patienceMs: number
  /** Who has written nothing for so long has finished, in milliseconds. */
  readonly quietMs: number
}

/** A time that can jump; what waits waits as long as before. */
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

/** A cluster of its own, with the operator before the proxy. */
export class TrialWorld implements AsyncDisposable {
  readonly client: Client
  readonly proxy: TrialProxy
  readonly operator: OperatorProcess
  readonly clock: JumpingClock
  readonly #setup: TrialSetup
  readonly #close: () => Promise<void>
  readonly #before: ReadonlySet<string>
  #resources: readonly DiscoveredResource[]

  private constructor(fields: {
    client: Client
    proxy: TrialProxy
    operator: OperatorProcess
    clock: JumpingClock
    setup: TrialSetup
    close: () => Promise<void>
    before: ReadonlySet<string>
    resources: readonly DiscoveredResource[]
  }) {
    this.client = fields.client
    this.proxy = fields.proxy
    this.operator = fields.operator
    this.clock = fields.clock
    this.#setup = fields.setup
    this.#close = fields.close
    this.#before = fields.before
    this.#resources = fields.resources
  }

  static async open(setup: TrialSetup): Promise<TrialWorld> {
    const clock = jumpingClock()
    const cluster = await startCluster({ nodes: 1 }, { clock })
    const client = cluster.client()
    const address = await cluster.listen()
    const { ca = '', cert = '', key = '' } = await loadKubeconfig(cluster.kubeconfig())
    const folder = mkdtempSync(path.join(os.tmpdir(), 'operator-trial-'))
    const kubeconfig = path.join(folder, 'kubeconfig')
    const operator = new OperatorProcess(setup.program, kubeconfig)
    const proxy = await openTrialProxy({
      upstream: { address, ca, cert, key },
      life: () => operator.life,
      versionOf: (target) => versionOf(client, target),
    })
    writeFileSync(kubeconfig, kubeconfigFor(proxy))
    const close = async () => {
      await operator.kill()
      await proxy[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    }
    try {
      await until(
        async () => (await client.list({ group: '', version: 'v1', resource: 'serviceaccounts', namespace: 'default' })).items.length > 0,
        10_000,
      )
      const resources = await installAll(client, setup.install)
      const before = new Set((await everything(client, resources)).map(keyOf))
      return new TrialWorld({ client, proxy, operator, clock, setup, close, before, resources })
    } catch (error) {
      await close()
      throw error
    }
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
  target({ apiVersion, kind, metadata }: Readonly<KubeObject>): Target {
    const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {}
    const found = this.#resources.find((r) => r.group === group && r.version === version && r.kind === kind && !r.resource.includes('/'))
    if (found === undefined) throw new Error(`the cluster has no ${kind} of ${apiVersion}: name its definition with --install`)
    return { ...refOf(found), ...(found.namespaced ? { namespace: metadata.namespace ?? 'default' } : {}), name: metadata.name ?? '' }
  }

  /** Resolves with whether the operator came to rest: in its present life it has looked at something, and written nothing for a while. */
  settled(): Promise<boolean> {
    const { quietMs, patienceMs } = this.#setup
    const { proxy, operator } = this
    const beganMs = systemClock.monotonic()
    const { life } = operator
    const first = proxy.calls.length
    let seen = -1
    let sinceMs = beganMs
    return until(async () => {
      const now = systemClock.monotonic()
      const fresh = proxy.calls.slice(first).filter(isWrite).length
      const looked = proxy.calls.some((c) => c.life === life && (c.verb === 'watch' || c.verb === 'list') && !isChatter(c))
      if (fresh !== seen || !looked || proxy.underway > 0) {
        seen = fresh
        sinceMs = now
      }
      return now - sinceMs >= quietMs
    }, patienceMs)
  }

  /** What the operator has made, and the samples: all objects of kinds that it ever wrote (here, or in `also`), that were not there before. */
  async state(also: ReadonlySet<string>): Promise<State> {
    const kinds = new Set([...also, ...this.writtenKinds()])
    const samples = new Set(this.#setup.samples.map((s) => s.kind))
    const resources = this.#resources.filter((r) => kinds.has(`${r.group}/${r.resource}`) || samples.has(r.kind))
    const found = (await everything(this.client, resources)).filter((o) => !this.#before.has(keyOf(o)))
    return stateOf(found, (o) => samples.has(o.kind))
  }

  /** Objects that the operator made, samples left out. */
  async children(also: ReadonlySet<string>): Promise<Readonly<KubeObject>[]> {
    const samples = new Set(this.#setup.samples.map((s) => s.kind))
    const resources = this.#resources.filter(
      (r) => (also.has(`${r.group}/${r.resource}`) || this.writtenKinds().has(`${r.group}/${r.resource}`)) && !samples.has(r.kind),
    )
    return (await everything(this.client, resources)).filter((o) => !this.#before.has(keyOf(o)))
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

  /** Kills the program where it stands, forgets the lease that it can no longer give back, and starts it again. */
  async killAndRestart(): Promise<void> {
    await this.operator.kill()
    await this.forgetLeases()
    this.operator.start()
  }

  /** A successor would have to wait for the lease: that would be a trial of patience only. */
  async forgetLeases(): Promise<void> {
    for (const { target } of this.proxy.calls)
      if (target?.resource === 'leases' && target.name !== '')
        await this.client
          .delete({ group: target.group, version: target.version, resource: 'leases', namespace: target.namespace, name: target.name })
          .catch(() => {})
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close()
  }
}

/** True when it became so in time. */
export async function until(holds: () => Promise<boolean> | boolean, patienceMs: number): Promise<boolean> {
  const endMs = systemClock.monotonic() + patienceMs
  for (;;) {
    if (await holds()) return true
    if (systemClock.monotonic() >= endMs) return false
    await systemClock.sleep(25)
  }
}

async function installAll(client: Client, objects: readonly KubeObject[]): Promise<readonly DiscoveredResource[]> {
  const discovery = createDiscovery(client)
  let resources = (await discovery.read()).resources
  const isDefinition = (o: KubeObject) => o.kind === 'CustomResourceDefinition'
  for (const object of [...objects.filter(isDefinition), ...objects.filter((o) => !isDefinition(o))]) {
    const { group = '', version = '' } = parseApiVersion(object.apiVersion) ?? {}
    const find = () =>
      resources.find((r) => r.group === group && r.version === version && r.kind === object.kind && !r.resource.includes('/'))
    await until(async () => {
      if (find() === undefined) resources = (await discovery.read()).resources
      return find() !== undefined
    }, 5000)
    const found = find()
    if (found === undefined) throw new Error(`the cluster has no ${object.kind} of ${object.apiVersion}`)
    const place = found.namespaced ? { namespace: object.metadata.namespace ?? 'default' } : {}
    await client.create({ ...refOf(found), ...place }, object)
  }
  const defined = objects.filter(isDefinition)
  await until(async () => {
    resources = (await discovery.read()).resources
    return defined.every((d) => resources.some((r) => r.group === d.spec.group && r.kind === d.spec.names.kind))
  }, 5000)
  return resources
}

const refOf = ({ group, version, resource }: ResourceRef): ResourceRef => ({ group, version, resource })
const keyOf = ({ kind, metadata }: Readonly<KubeObject>) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`

async function everything(client: Client, resources: readonly DiscoveredResource[]): Promise<Readonly<KubeObject>[]> {
  const listable = resources.filter((r) => r.preferred && r.verbs.includes('list') && !['events', 'leases'].includes(r.resource))
  const lists = await Promise.all(
    listable.map(async (r) => {
      const list = await client.list(refOf(r)).catch(() => ({ items: [] as Readonly<KubeObject>[] }))
      return list.items.map((o): Readonly<KubeObject> => ({ ...o, kind: r.kind }))
    }),
  )
  return lists.flat()
}

async function versionOf(client: Client, target: Target & { readonly subresource?: string }): Promise<string | undefined> {
  const { group, version, resource, namespace, name } = target
  const place = namespace === undefined || namespace === '' ? {} : { namespace }
  const found = await client.get({ group, version, resource, ...place, ...(name === undefined ? {} : { name }) }).catch(() => undefined)
  return found?.metadata.resourceVersion
}

function kubeconfigFor({ address, ca }: TrialProxy): string {
  const data = Buffer.from(ca).toString('base64')
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'trial', cluster: { server: address, 'certificate-authority-data': data } }],
    users: [{ name: 'operator', user: { token: 'operator' } }],
    contexts: [{ name: 'trial', context: { cluster: 'trial', user: 'operator', namespace: 'default' } }],
    'current-context': 'trial',
  })
}
