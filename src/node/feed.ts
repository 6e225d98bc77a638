import { NODES, PODS, SERVICES } from '../resources/refs.ts'
import type { Node, Service } from '../resources/types/core.ts'
import type { Informer } from '../sdk/informer/informer.ts'
import type { InformerFactory } from '../sdk/informer/informer-factory.ts'
import type { Pod } from './types/pod.ts'

/** The source of an agent's Node, of the pods bound to it, and of services. */
export interface NodeFeed {
  /** Resolves when the initial state was delivered. */
  readonly synced: Promise<void>
  /** Delivers the current state, then changes. A `gone` pod has no object any more. */
  follow(nodeName: string, follower: NodeFollower): () => void
  /** The current object of a pod that is bound to that node, in any phase. */
  pod(nodeName: string, namespace: string, name: string): Readonly<Pod> | undefined
  /** The services of a namespace, and `default/kubernetes`. */
  services(namespace: string): readonly Service[]
}

export interface NodeFollower {
  node(node: Node): void
  pod(pod: Readonly<Pod>): void
  podGone(pod: Readonly<Pod>): void
}

export interface FeedOptions {
  /** The only node that the informers may read, with its pods. Absent: they may read all. */
  readonly only?: string
}

/** One list and watch of all nodes and pods, shared by every agent of the process: a thousand nodes cost two watches. */
export interface SharedFeed extends NodeFeed {
  run(signal: AbortSignal): Promise<void>
  /** All pods that are bound to a node. */
  podsOf(nodeName: string): readonly Readonly<Pod>[]
  /** All pods. */
  readonly pods: Informer<Pod>
  /** All nodes. */
  readonly nodes: Informer<Node>
}

export function createSharedFeed(informers: InformerFactory, { only }: FeedOptions = {}): SharedFeed {
  const nodes = informers.informer({ target: NODES, ...(only !== undefined && { fieldSelector: `metadata.name=${only}` }) })
  const pods = informers.informer<Pod>({
    target: PODS,
    ...(only !== undefined && { fieldSelector: `spec.nodeName=${only}` }),
    indexers: { node: ({ spec }) => (spec.nodeName ? [spec.nodeName] : []) },
  })
  const services = informers.informer({ target: SERVICES })
  const followers = new Map<string, NodeFollower>()
  const of = ({ spec }: Readonly<Pod>) => (spec.nodeName === undefined ? undefined : followers.get(spec.nodeName))

  nodes.addHandler({
    added: (node) => followers.get(node.metadata.name ?? '')?.node(node),
    updated: (node) => followers.get(node.metadata.name ?? '')?.node(node),
  })
  pods.addHandler({
    added: (pod) => of(pod)?.pod(pod),
    updated: (pod, old) => {
      if (old.metadata.uid !== pod.metadata.uid) of(old)?.podGone(old)
      of(pod)?.pod(pod)
    },
    deleted: (pod) => of(pod)?.podGone(pod),
  })

  return {
    synced: Promise.all([nodes.synced, pods.synced, services.synced]).then(() => {}),
    pod(nodeName, namespace, name) {
      const pod = pods.get(`${namespace}/${name}`)
      return pod?.spec.nodeName === nodeName ? pod : undefined
    },
    services(namespace) {
      const own = services.list(namespace)
      const kubernetes = namespace === 'default' ? undefined : services.get('default/kubernetes')
      return kubernetes === undefined ? own : [...own, kubernetes]
    },
    follow(nodeName, follower) {
      followers.set(nodeName, follower)
      const node = nodes.get(nodeName)
      if (node !== undefined) follower.node(node)
      for (const pod of pods.byIndex('node', nodeName)) follower.pod(pod)
      return () => {
        if (followers.get(nodeName) === follower) followers.delete(nodeName)
      }
    },
    pods,
    nodes,
    podsOf: (nodeName) => pods.byIndex('node', nodeName),
    async run(signal) {
      await Promise.all([nodes.run(signal), pods.run(signal), services.run(signal)])
    },
  }
}
