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
import type { ClusterConfig, ClusterOptions } from './config.ts'
import type { ClusterNode } from './nodes/cluster-node.ts'
import type { ClusterOrigin } from './snapshot/cluster-origin.ts'
import type { PartDeath } from './supervisor.ts'

/** What a cluster takes from outside; everything has a default. */
export interface ClusterDeps {
  /** Time of everything in the cluster. A `VirtualClock` makes it pass only when a test says so. Default: the machine's. */
  readonly clock?: Clock
  /** Time on the wire: limits of requests and idle connections. Default: the machine's clock. */
  readonly socketClock?: Clock
  /** Chance: names, uids, back-offs. The same seed gives the same run. Default: the machine's. */
  readonly random?: Random
  /** Default: says nothing. */
  readonly log?: Logger
  /** What the containers of simulated nodes do, and what registries answer: replace it to play any part. */
  readonly script?: Script
  /** Hands inside containers, in place of the nodes' own. */
  readonly streams?: NodeStreams
  /**
   * Servers of this process, by `NAMESPACE/NAME` of the service that stands for them: each call opens a connection that speaks HTTP/1.1
   * without TLS (`api.connect` of `bowsprit/aggregated-api`). APIServices that name the service reach them; webhooks need a URL or a port.
   * Default: none.
   */
  readonly services?: ReadonlyMap<string, LocalServer>
  /** What the cluster proves itself with, from `openCertificates`: several clusters may share it. Default: that of the folder, or new. */
  readonly certificates?: ClusterCertificates
  /** Open no port before `listen` is called. */
  readonly quiet?: boolean
  /** Freeze the objects of the caches, so that a component that changes one is found out (tests). */
  readonly freeze?: boolean
  /** What the API server is told, in place of what the options of the cluster say of it: flags of kube-apiserver. */
  readonly server?: ServerOptions
  /** The port, where it is open already. */
  readonly opened?: OpenedPort
  /** Told of each death of a part (controllers, scheduler, nodes), also when it is started again. */
  readonly partDied?: (death: PartDeath) => void
}

/** What only this repository's own tests bring. */
export interface InnerClusterDeps extends ClusterDeps {
  /** What reaches nodes, pods and services, in place of the cluster's own. */
  readonly connectors?: NodeConnectors
  /** What it begins with, in place of what the options say: another cluster's state. */
  readonly origin?: ClusterOrigin
  /**
   * How long the port is open before controllers, scheduler and nodes are read: that takes longer than an answer, and whoever waits for the
   * port is answered first. Default: not at all.
   */
  readonly partsAfterMs?: number
}

/** A running cluster. Disposing of it stops everything; what is in its data folder stays. */
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
   * Resolves with the first part that has failed for good (a `PartError` that names it): the store at once; controllers, scheduler and
   * nodes when their code cannot be loaded, or when they die again and again although they are started anew. Never rejects; the other parts
   * go on.
   */
  readonly failed: Promise<Error>
  /** Opens the port (once), and writes the kubeconfig if one is wanted. Resolves with the address. */
  listen(): Promise<string>
  /**
   * The text of a kubeconfig for `admin`, who may do everything; the same text at each call.
   * @throws {Error} before `listen` has resolved
   */
  kubeconfig(): string
  /** A client in this process: as `admin`, or as somebody else. */
  client(user?: UserInfo): Client
  /** What that client stands on: to be wrapped by what plays a bad network. */
  transport(user?: UserInfo): Transport
  /** One of its nodes: what happens to the devices described for it. */
  node(name: string): ClusterNode
  /**
   * Another cluster, in memory, that begins where this one stands, in some ten milliseconds, however many objects there are: what a test
   * changes in it, no other sees. Objects, revisions, keys (so tokens and kubeconfigs are good for both) and running pods are the same;
   * what is changed from then on, on either side, is its own. Options and dependencies are this cluster's where none are given; port,
   * kubeconfig file, data folder, audit log and device plugins' folder are not taken over. It opens no port before `listen` is called, and
   * outlives this one. Time is this cluster's clock's; a `VirtualClock` of its own that is behind is set on to it.
   */
  fork(options?: Omit<ClusterOptions, 'from' | 'dataDir' | 'ephemeral'>, deps?: ClusterDeps): Promise<Cluster>
  /**
   * Writes what stands into a file, from which `startCluster({ from: file })` and `bowsprit up --from FILE` begin. The file appears whole
   * or not at all. It holds secrets and the cluster's keys, and only this user may read it.
   * @throws {SnapshotError} when it cannot be written
   */
  save(file: string): Promise<void>
}
