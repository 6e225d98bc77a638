import type { Duplex } from 'node:stream'
import { type Clock, holding } from '../../base/clock.ts'
import { dialRefused } from '../../base/http/network-error.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { ClusterNetwork, FollowedObjects, NetworkNode } from '../../node/network/cluster-network.ts'
import { createImageTable } from '../../node/programs/image-match.ts'
import { type LoadedNode, nodePrograms } from '../../node/programs/node-programs.ts'
import type { ImagePrograms } from '../../node/programs/program.ts'
import { SHIPPED_IMAGES } from '../../node/programs/shipped/shipped-programs.ts'
import { dialMachine } from '../../node/real/dial-machine.ts'
import type { PodRef } from '../../node/runtime/container-spec.ts'
import type { ContainerPrograms } from '../../node/runtime/simulated/play.ts'
import type { ObjectSource } from '../../node/volumes/object-source.ts'
import type { PersistentTrees } from '../../node/volumes/persistent-trees.ts'
import type { Client } from '../../sdk/client/client.ts'
import { requestToken } from '../../sdk/client/subresources.ts'
import { serviceAddress } from '../../server/bootstrap/service-address.ts'
import type { InsideNetwork } from '../../server/services/resolve-service.ts'
import { SHIPPED_SERVERS } from './shipped-servers.ts'

export interface ProgramsPartDeps {
  readonly images: ImagePrograms
  readonly serviceCidr: string
  /** Where pods reach the API server, and what it calls itself towards NetworkPolicies. */
  readonly server: NetworkEndpoint
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** What there is of the cluster once its server is open. */
export interface ProgramsCluster {
  /** What the network of pods is made from. */
  readonly objects: FollowedObjects
  /** What pods refer to. */
  readonly source: ObjectSource
  readonly clientOf: (user: UserInfo) => Client
  readonly nodeClient: (nodeName: string) => Client
  /** A connection to the API server's own port. */
  readonly apiServer: () => Duplex | undefined
}

/** Where something is in the network of the nodes. */
export interface NetworkEndpoint {
  readonly address: string
  readonly port: number
}

/** A node as the network of its pods knows it. */
export interface NodePlace extends Omit<NetworkNode, 'owns'> {
  /** What its pods' addresses begin with, for each family: `10.210.0.`, `fd00:10:210::`. */
  readonly podSubnets: readonly string[]
}

/** The programs that containers of simulated nodes run, and the network in which they meet. */
export interface ProgramsPart extends AsyncDisposable {
  /** For the API server's calls to services. */
  readonly inside: InsideNetwork
  /** Before any container starts. */
  start(cluster: ProgramsCluster): void
  /** The programs of one node. `folders`: folders of this machine that are mounted as folders of the node. */
  node(place: NodePlace, folders: ReadonlyMap<string, string>): ContainerPrograms
  /** The file system of a persistent volume is as large as the volume from now on. */
  volumeGrown(volumeName: string): void
}

const UNREACHED = new AbortController().signal

export function createProgramsPart({ images, serviceCidr, server, clock, random, log }: ProgramsPartDeps): ProgramsPart {
  const table = createImageTable({ ...images, ...SHIPPED_IMAGES, ...SHIPPED_SERVERS })
  let cluster: ProgramsCluster | undefined
  let loading: Promise<Loaded> | undefined
  let network: ClusterNetwork | undefined
  let trees: PersistentTrees | undefined
  const nodes: LoadedNode[] = []
  const places: NetworkNode[] = []

  async function load(): Promise<Loaded> {
    const open = cluster
    if (open === undefined) throw new Error('invariant: programs run in a cluster that has started')
    const [{ ClusterNetwork: Network }, { loadNode }, { PersistentTrees: Trees }, { VOLUME_BYTES }, { FileBudget }] = await holding(
      clock,
      'loading programs',
      () =>
        Promise.all([
          import('../../node/network/cluster-network.ts'),
          import('../../node/programs/load-node.ts'),
          import('../../node/volumes/persistent-trees.ts'),
          import('../../node/volumes/pod-volumes.ts'),
          import('../../node/volumes/file-budget.ts'),
          open.objects.begin?.(),
        ]),
    )
    const budget = new FileBudget()
    trees = new Trees(open.source, VOLUME_BYTES, budget)
    network = new Network({
      objects: open.objects,
      clock,
      random,
      apiServer: { ...server, connect: open.apiServer },
      dialReal: dialMachine,
    })
    // All of them: who connects from one node reaches pods of another, on which no program has run yet.
    for (const place of places) network.add(place)
    const deps = {
      images: table,
      network,
      objects: open.objects,
      source: open.source,
      clock,
      random,
      log,
      nameserver: nameserverOf(serviceCidr),
      persistent: trees,
      budget,
      clientOf: (pod: PodRef, serviceAccount: string) => open.clientOf(serviceAccountUser(pod, serviceAccount)),
      issueToken: async (nodeName: string, { pod, serviceAccount, audience, expirationSeconds }: PodToken) => {
        const account = { namespace: pod.namespace, name: serviceAccount }
        const bound = { boundTo: { apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: pod.uid } }
        const requested = { expirationSeconds, ...(audience !== undefined && { audiences: [audience] }), ...bound }
        const { token, expirationTimestamp } = await requestToken(open.nodeClient(nodeName), account, requested)
        return { token, expiresAtMs: Date.parse(expirationTimestamp) }
      },
    }
    return {
      network,
      loadNode(node, folders) {
        const loaded = loadNode({ ...deps, node, folders })
        nodes.push(loaded)
        return loaded
      },
    }
  }

  function loaded(): Promise<Loaded> {
    loading ??= load()
    return loading
  }

  /** From the server to itself, as a pod would ask it. */
  async function toServer(): Promise<Duplex> {
    const connection = cluster?.apiServer()
    if (connection === undefined) throw new Error(dialRefused(`${server.address}:${server.port}`))
    return connection
  }

  return {
    inside(host, port) {
      if (host === server.address && port === server.port) return () => toServer()
      // Also before a program has run: nothing that is meant for a simulated pod may ever go out to the machine's network.
      if (network?.owns(host) !== true && !places.some((place) => place.ip === host || place.owns(host))) return undefined
      return async () => (await loaded()).network.dial({ kind: 'outside', ip: server.address }, host, port, UNREACHED)
    },
    async [Symbol.asyncDispose]() {
      for (const node of nodes) node.engine.close()
    },
    start(opened) {
      cluster = opened
    },
    volumeGrown: (name) => void trees?.grow(name).catch((error: unknown) => log.warn('a volume could not be enlarged', { name, error })),
    node(place, folders) {
      const node = networkNode(place)
      places.push(node)
      network?.add(node)
      return nodePrograms({ images: table, load: async () => (await loaded()).loadNode(node, folders) })
    },
  }
}

/** Whether a node has an address is seen from the address. */
export const networkNode = (place: NodePlace): NetworkNode => ({
  ...place,
  owns: (ip) => place.podSubnets.some((subnet) => ip.startsWith(subnet)),
})

interface Loaded {
  readonly network: ClusterNetwork
  loadNode(node: NetworkNode, folders: ReadonlyMap<string, string>): LoadedNode
}

/** The token of a pod's service account that a program asks for. */
interface PodToken {
  readonly pod: PodRef
  readonly serviceAccount: string
  readonly audience: string | undefined
  readonly expirationSeconds: number
}

const serviceAccountUser = ({ namespace, name, uid }: PodRef, account: string): UserInfo => ({
  name: `system:serviceaccount:${namespace}:${account}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  extra: { 'authentication.kubernetes.io/pod-name': [name], 'authentication.kubernetes.io/pod-uid': [uid] },
})

/** The tenth address of the range of services, where clusters have their name server. */
export const nameserverOf = (serviceCidr: string): string => serviceAddress(serviceCidr, 10)
