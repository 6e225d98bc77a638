import type { Logger } from '../../base/logger.ts'
import type { ResourceRef, Transport, WatchEvent } from '../../machinery/api-call.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { FollowedObjects } from '../../node/network/cluster-network.ts'
import type { ObjectSource } from '../../node/volumes/object-source.ts'
import { ENDPOINT_SLICES, NAMESPACES, NETWORK_POLICIES, PODS, SERVICES } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { createInformerFactory, type InformerFactory } from '../../sdk/informer/informer-factory.ts'

/** What the network and the name server of the cluster are made from. */
const NETWORK: readonly ResourceRef[] = [SERVICES, ENDPOINT_SLICES, NAMESPACES, NETWORK_POLICIES]

export interface FollowedDeps {
  readonly informers: InformerFactory
  /** Of pods. They may leave out what the network does not look at. */
  readonly podInformers: InformerFactory
  readonly signal: AbortSignal
}

/** Informers for a process that reads pods for the network alone. */
export const networkInformers = (transport: Transport, log: Logger): Omit<FollowedDeps, 'signal'> => ({
  informers: createInformerFactory({ client: createClient(transport), log }),
  podInformers: createInformerFactory({ client: createClient(reduced(transport)), log }),
})

/** Collections of the API, kept by list and watch. */
export class FollowedCollections implements FollowedObjects {
  readonly #deps: FollowedDeps
  readonly #informers = new Map<string, Informer<KubeObject>>()

  constructor(deps: FollowedDeps) {
    this.#deps = deps
  }

  /** Begins to follow what the network always needs; resolves when it is there. */
  async begin(): Promise<void> {
    await Promise.all(NETWORK.map((ref) => this.#begin(ref, this.#deps.informers)))
  }

  /** Pods are followed once they are needed: of a large cluster they take most of the memory. */
  follow(group: string, resource: string): Promise<void> | undefined {
    const known = this.#informers.get(keyOf(group, resource))
    if (known !== undefined) return known.hasSynced ? undefined : known.synced
    if (group !== PODS.group || resource !== PODS.resource) throw new Error(`invariant: nothing needs all ${resource}`)
    return this.#begin(PODS, this.#deps.podInformers)
  }

  get(group: string, resource: string, namespace: string, name: string): KubeObject | undefined {
    return this.#informers.get(keyOf(group, resource))?.get(namespace === '' ? name : `${namespace}/${name}`)
  }

  list(group: string, resource: string, namespace?: string): readonly KubeObject[] {
    return this.#informers.get(keyOf(group, resource))?.list(namespace) ?? []
  }

  #begin(target: ResourceRef, informers: InformerFactory): Promise<void> {
    const informer: Informer<KubeObject> = informers.informer({ target })
    this.#informers.set(keyOf(target.group, target.resource), informer)
    void informer.run(this.#deps.signal)
    return informer.synced
  }
}

const keyOf = (group: string, resource: string) => `${resource}.${group}`

/** Single objects, read from the API each time. */
export function readSource(transport: Transport): ObjectSource {
  const client = createClient(transport)
  return {
    async read(targets) {
      const objects = new Map<string, KubeObject>()
      const lists = new Map<string, readonly KubeObject[]>()
      await Promise.all(
        targets.map(async ({ group, version, resource, namespace = '', name }) => {
          const ref = { group, version, resource }
          const key = keyOf(group, resource)
          if (name === undefined) return void lists.set(key, (await client.list(ref)).items)
          const found = await client.get({ ...ref, ...(namespace !== '' && { namespace }), name }).catch(ignoring('NotFound'))
          if (found !== undefined) objects.set(`${key} ${namespace}/${name}`, found)
        }),
      )
      return {
        get: (group, resource, namespace, name) => objects.get(`${keyOf(group, resource)} ${namespace}/${name}`),
        list: (group, resource) => lists.get(keyOf(group, resource)) ?? [],
      }
    },
  }
}

/** A transport whose pods have only what the network looks at. */
function reduced(transport: Transport): Transport {
  const event = (of: WatchEvent): WatchEvent => (of.type === 'BOOKMARK' ? of : { ...of, object: networkPart(of.object) })
  return {
    ...transport,
    async call(call) {
      const answer: KubeObject & { readonly items?: readonly KubeObject[] } = await transport.call(call)
      return answer.items === undefined ? answer : { ...answer, items: answer.items.map(networkPart) }
    },
    async *watch(call) {
      for await (const events of transport.watch(call)) yield events.map(event)
    },
  }
}

function networkPart({ apiVersion, kind, metadata, spec, status }: Pod | KubeObject<Pod['spec'], Pod['status']> | KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, labels } = metadata
  const of = spec as Pod['spec'] | undefined
  const now = status as Pod['status']
  const ports = (containers: Pod['spec']['containers'] | undefined) =>
    containers?.map((c) => ({ name: c.name, ports: c.ports, restartPolicy: c.restartPolicy }))
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion, labels },
    spec: {
      nodeName: of?.nodeName,
      hostNetwork: of?.hostNetwork,
      containers: ports(of?.containers),
      initContainers: ports(of?.initContainers),
    },
    status: { phase: now?.phase, podIP: now?.podIP, podIPs: now?.podIPs },
  } as KubeObject
}
