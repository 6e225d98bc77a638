import path from 'node:path'
import { type Clock, keepAlive, systemClock } from '../base/clock.ts'
import { type Logger, silentLogger } from '../base/logger.ts'
import { type Random, systemRandom } from '../base/random.ts'
import { KUBERNETES_VERSION } from '../base/version.ts'
import { SYSTEM_MASTERS, type UserInfo } from '../machinery/resource/user.ts'
import type { NodeAgent } from '../node/agent.ts'
import type { Script } from '../node/runtime/simulated/behaviour.ts'
import type { Client } from '../sdk/client/client.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { openCertificates } from './certificates.ts'
import { type ClusterConfig, type ClusterOptions, completeConfig, PortError } from './config.ts'
import { kubeconfigText, writeKubeconfig } from './kubeconfig.ts'
import { runNodes } from './node-part.ts'
import { podLogDoor } from './pod-log-door.ts'
import { openServerPart, openStore } from './server-part.ts'

export interface ClusterDeps {
  readonly clock?: Clock
  readonly random?: Random
  readonly log?: Logger
  /** What the containers of simulated nodes do, and what registries answer: replace it to play any part. */
  readonly script?: Script
  /** Open no port before `listen` is called. */
  readonly quiet?: boolean
  /** Freeze the objects of the caches, so that a component that changes one is found out (tests). */
  readonly freeze?: boolean
}

/** A running cluster. Disposing of it stops everything; what is in its data folder stays. */
export interface Cluster extends AsyncDisposable {
  readonly config: ClusterConfig
  readonly kubernetesVersion: string
  readonly nodeNames: readonly string[]
  /** `https://127.0.0.1:6443`; `''` until it listens. */
  readonly address: string
  /** Resolves with what made the cluster stop by itself. */
  readonly failed: Promise<Error>
  /** Opens the port (once), and writes the kubeconfig if one is wanted. Resolves with the address. */
  listen(): Promise<string>
  /** The text of a kubeconfig for `admin`. Needs an address. */
  kubeconfig(): string
  /** A client in this process: as `admin`, or as somebody else. */
  client(user?: UserInfo): Client
}

const ADMIN: UserInfo = { name: 'admin', uid: 'admin-uid', groups: [SYSTEM_MASTERS, 'system:authenticated'] }
const component = (name: string, ...groups: string[]): UserInfo => ({ name, groups: [...groups, 'system:authenticated'] })

/** Starts a cluster; resolves when it answers. */
export async function startCluster(options: ClusterOptions = {}, deps: ClusterDeps = {}): Promise<Cluster> {
  const config = completeConfig(options)
  const { clock = systemClock, random = systemRandom(), log = silentLogger } = deps
  const folder = config.dataDir === undefined ? undefined : path.join(config.dataDir, 'certificates')
  const opening = openStore(config, clock)
  const certificates = await beside(opening, () => openCertificates({ folder, serviceCidr: config.serviceCidr }, { clock }))
  const agents = new Map<string, NodeAgent>()
  const connectors = { podLog: podLogDoor(agents, clock) }
  const part = await openServerPart(config, { certificates, opening, clock, random, log, freeze: deps.freeze ?? false, connectors })
  const { server, registry } = part
  const stop = new AbortController()
  const rest = keepAlive()
  const running: Promise<void>[] = []
  let address = ''
  let listening: Promise<string> | undefined
  const client = (user: UserInfo = ADMIN) => createClient(server.transport(user))

  const cluster: Cluster = {
    config,
    kubernetesVersion: KUBERNETES_VERSION,
    nodeNames: config.parts.has('nodes') ? Array.from({ length: config.nodes }, (_, i) => `node-${i + 1}`) : [],
    get address() {
      return address
    },
    failed: new Promise((resolve) => {
      registry.failed.addEventListener('abort', () => resolve(asError(registry.failed.reason)), { once: true })
    }),
    listen() {
      listening ??= openPort().then((opened) => {
        address = opened.address
        if (config.kubeconfig !== undefined) writeKubeconfig(config.kubeconfig, kubeconfigInit())
        return address
      })
      return listening
    },
    kubeconfig: () => kubeconfigText(kubeconfigInit()),
    client,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.allSettled(running)
      await part[Symbol.asyncDispose]()
      rest()
    },
  }

  function openPort() {
    return server.listen().catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EADDRINUSE') throw new PortError('in-use', config, error)
      if (code === 'EACCES') throw new PortError('not-allowed', config, error)
      throw error
    })
  }

  function kubeconfigInit() {
    const admin = certificates.client({ commonName: 'admin', organizations: [SYSTEM_MASTERS], uid: 'admin-uid' })
    return { server: address, ca: certificates.ca.certificate, user: 'admin', certificate: admin.certificate, key: admin.key }
  }

  try {
    if (deps.quiet !== true) await cluster.listen()
    if (config.parts.has('controllers')) running.push(runControllers())
    if (config.parts.has('scheduler')) running.push(runScheduler())
    if (config.parts.has('nodes') && config.nodes > 0) {
      const nodeClient = (name: string) => client(component(`system:node:${name}`, 'system:nodes'))
      running.push(
        runNodes(
          cluster.nodeNames,
          { client: nodeClient, feedClient: client(), agents, clock, random, log, ...(deps.script ? { script: deps.script } : {}) },
          stop.signal,
        ),
      )
    }
  } catch (error) {
    await cluster[Symbol.asyncDispose]()
    throw error
  }
  return cluster

  async function runControllers(): Promise<void> {
    const { createControllers } = await import('../controllers/frame/controller-set.ts')
    const identity = component('system:kube-controller-manager', SYSTEM_MASTERS)
    await createControllers(
      { ca: certificates.ca.certificate, caKey: certificates.ca.key },
      { client: client(identity), clock, random, log },
    ).run(stop.signal)
  }

  async function runScheduler(): Promise<void> {
    const { createScheduler } = await import('../scheduler/scheduler.ts')
    await createScheduler({
      client: client(component('system:kube-scheduler')),
      clock,
      random,
      log,
      config: config.schedulerConfig ?? {},
    }).run(stop.signal)
  }
}

/** Works while the store is being opened; when the work fails, the store is let go of. */
async function beside<T>(opening: Promise<AsyncDisposable>, work: () => T): Promise<T> {
  try {
    return work()
  } catch (error) {
    await opening.then(
      (store) => store[Symbol.asyncDispose](),
      () => {},
    )
    throw error
  }
}

const asError = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)))
