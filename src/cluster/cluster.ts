import type { Worker } from 'node:worker_threads'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { OpenedPort } from '../base/opened-port.ts'
import type { Random } from '../base/random.ts'
import type { Transport } from '../machinery/api-call.ts'
import type { UserInfo } from '../machinery/resource/user.ts'
import type { Script } from '../node/runtime/simulated/behaviour.ts'
import type { Client } from '../sdk/client/client.ts'
import type { NodeConnectors } from '../server/actions/connectors.ts'
import type { NodeStreams } from '../server/actions/node-streams.ts'
import type { ServerOptions } from '../server/options/server-options.ts'
import type { LocalServer } from '../server/services/resolve-service.ts'
import type { ClusterCertificates } from './certificates.ts'
import type { ClusterOptions } from './cluster-options.ts'
import type { ClusterConfig } from './config.ts'
import type { ClusterNode } from './nodes/cluster-node.ts'
import type { ClusterOrigin } from './snapshot/cluster-origin.ts'
import type { PartDeath } from './supervisor.ts'
import type { RunnerLimits } from './threads/runner-limits.ts'
import type { ThreadLimits } from './threads/thread-limits.ts'

/** The dependencies of a cluster; each has a default. */
export interface ClusterDeps {
  /** The clock of everything in the cluster. A `VirtualClock` moves only when the test moves it. Default: the machine's. */
  readonly clock?: Clock
  /** Time on the wire: limits of requests and idle connections. Default: the machine's clock. */
  readonly socketClock?: Clock
  /** Random numbers for names, uids and back-offs. The same seed gives the same run. Default: the machine's. */
  readonly random?: Random
  /** Default: nothing is logged. */
  readonly log?: Logger
  /** Decides what the containers of simulated nodes do and what registries answer. Default: annotations, commands and images decide. */
  readonly script?: Script
  /** Implements exec, attach and port-forward instead of the nodes. */
  readonly streams?: NodeStreams
  /**
   * Servers of this process, by `NAMESPACE/NAME` of their services: each call opens a connection that speaks HTTP/1.1
   * without TLS (`api.connect` of `bowsprit/aggregated-api`). APIServices that name the service reach them; webhooks need a URL or a port.
   * Default: none.
   */
  readonly services?: ReadonlyMap<string, LocalServer>
  /** Keys and certificates, from `openCertificates`; clusters may share them. Default: those of the data folder, or new ones. */
  readonly certificates?: ClusterCertificates
  /** Open no port before `listen` is called. */
  readonly quiet?: boolean
  /** Freeze the objects of the caches, so that code that changes one throws (tests). */
  readonly freeze?: boolean
  /** The configuration of the API server, instead of the one that follows from the cluster's options. */
  readonly server?: ServerOptions
  /** A port that is open already. */
  readonly opened?: OpenedPort
  /** Called each time a part (controllers, scheduler, nodes) fails, also when it is restarted. */
  readonly partDied?: (death: PartDeath) => void
}

/** Dependencies for this repository's own tests. */
export interface InnerClusterDeps extends ClusterDeps {
  /** How the server reaches nodes, pods and services, instead of the cluster's own connectors. */
  readonly connectors?: NodeConnectors
  /** The state of another cluster to start from. */
  readonly origin?: ClusterOrigin
  /**
   * The delay between opening the port and loading controllers, scheduler and nodes, in milliseconds. Loading takes longer than a response,
   * so clients that wait for the port get their first response sooner. Default: no delay.
   */
  readonly partsAfterMs?: number
  /** The caller writes the kubeconfig file, instead of `listen`. Default: false. */
  readonly kubeconfigLater?: boolean
  /** Called with each thread that is started for parts. */
  readonly threadStarted?: (name: string, worker: Worker) => void
  /** What bounds the process of containers' programs. Default: `PROGRAM_LIMITS`. */
  readonly programLimits?: RunnerLimits
  /** The limits of these threads, and the module that runs in them. */
  readonly threadDeps?: { readonly limits?: ThreadLimits; readonly module?: URL }
}

/** The state of a cluster at one moment. It stays as it is, and shares with the cluster whatever neither of the two changes. */
export interface ClusterCheckpoint {
  /** Starts a cluster in this state, as often as called: see `Cluster.fork`. */
  fork(options?: Omit<ClusterOptions, 'from' | 'dataDir' | 'ephemeral'>, deps?: ClusterDeps): Promise<Cluster>
}

/** How the page is opened. */
export interface ClusterPageOptions {
  /** Default: a free one. */
  readonly port?: number
  /** Default false: the page can change what `admin` may. */
  readonly readOnly?: boolean
  /**
   * Called with the link (`console.error`). Then `page` resolves only when the browsers that have opened it have gone: a test that fails
   * keeps its cluster for inspection.
   */
  readonly hold?: (link: string) => void
}

/** A running cluster. Disposing of it stops everything; its data folder stays. */
export interface Cluster extends AsyncDisposable {
  /** The options, with all defaults filled in. */
  readonly config: ClusterConfig
  /** `v1.36.3`. */
  readonly kubernetesVersion: string
  /** The simulated nodes: `node-1`, `node-2`, … */
  readonly nodeNames: readonly string[]
  /** `https://127.0.0.1:6443`; `''` until it listens. */
  readonly address: string
  /**
   * Resolves with a `PartError` when a part has failed for good: the store at its first failure; controllers, scheduler and nodes when
   * their code cannot be loaded, or when they keep failing after restarts. Never rejects. The other parts keep running.
   */
  readonly failed: Promise<Error>
  /** Opens the port (once) and writes the kubeconfig file if one is configured. Resolves with the address. */
  listen(): Promise<string>
  /**
   * The text of a kubeconfig for `admin`, who may do everything; each call returns the same text.
   * @throws {Error} before `listen` has resolved
   */
  kubeconfig(): string
  /** A client in this process. Default user: `admin`. */
  client(user?: UserInfo): Client
  /** The transport of such a client, for wrapping (faults, counters). Default user: `admin`. */
  transport(user?: UserInfo): Transport
  /**
   * Opens a page on 127.0.0.1 that shows the cluster (once; default: on a free port), and resolves with its link. The link gives
   * the rights of `admin`.
   */
  page(options?: ClusterPageOptions): Promise<string>
  /** A node of the cluster, to change its described devices. */
  node(name: string): ClusterNode
  /**
   * Starts another cluster, in memory, with the state of this one. It takes some ten milliseconds, whatever the number of objects. Objects,
   * revisions, keys (so tokens and kubeconfigs are valid for both) and running pods are the same; later changes in one cluster are not
   * visible in the other.
   *
   * Options and dependencies default to this cluster's, except port, kubeconfig file, data folder, audit log and device plugins' folder.
   * The fork opens no port before `listen` is called, and outlives this cluster. A `VirtualClock` of its own that is behind this cluster's
   * clock is moved forward to it.
   */
  fork(options?: Omit<ClusterOptions, 'from' | 'dataDir' | 'ephemeral'>, deps?: ClusterDeps): Promise<Cluster>
  /** Keeps the state of this moment, for forks at a later time. It takes less than a millisecond. */
  checkpoint(): Promise<ClusterCheckpoint>
  /**
   * Writes the cluster's state into a file, for `startCluster({ from: file })` and `bowsprit up --from FILE`. The file appears whole or not
   * at all. It contains secrets and the cluster's keys; only this user may read it.
   * @throws {SnapshotError} when it cannot be written
   */
  save(file: string): Promise<void>
}
