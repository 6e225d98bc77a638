import type { KubeObject } from '../object.ts'
import type { Reader } from '../resource/definition.ts'
import type { NetworkPolicySpec, Protocol } from './network-world.ts'

/** The fields of `core/v1 Service` that the network uses. */
export type NetworkService = KubeObject<
  {
    readonly type?: string
    readonly externalName?: string
    readonly clusterIP?: string
    readonly clusterIPs?: readonly string[]
    readonly externalIPs?: readonly string[]
    readonly ports?: readonly ServicePort[]
    readonly internalTrafficPolicy?: string
    readonly externalTrafficPolicy?: string
    readonly sessionAffinity?: string
  },
  { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] } }
>

interface ServicePort {
  readonly name?: string
  readonly port: number
  readonly nodePort?: number
  readonly protocol?: string
}

/** The fields of `discovery.k8s.io/v1 EndpointSlice` that the network uses. */
interface NetworkEndpointSlice extends KubeObject {
  readonly ports?: readonly { readonly name?: string; readonly port?: number; readonly protocol?: string }[]
  readonly endpoints?: readonly {
    readonly addresses?: readonly string[]
    readonly hostname?: string
    readonly nodeName?: string
    readonly conditions?: { readonly ready?: boolean; readonly serving?: boolean }
  }[]
}

/** The fields of `core/v1 Pod` that the network uses. */
export type PodOfNetwork = KubeObject<
  {
    readonly nodeName?: string
    readonly hostNetwork?: boolean
    readonly containers?: readonly ContainerOfNetwork[]
    readonly initContainers?: readonly ContainerOfNetwork[]
  },
  { readonly phase?: string; readonly podIP?: string; readonly podIPs?: readonly { readonly ip?: string }[] }
>

export interface ContainerOfNetwork {
  readonly restartPolicy?: string
  readonly ports?: readonly {
    readonly name?: string
    readonly containerPort: number
    readonly hostPort?: number
    readonly hostIP?: string
    readonly protocol?: Protocol
  }[]
}

/** `networking.k8s.io/v1 NetworkPolicy` as an object of the API. */
export type PolicyOfNetwork = KubeObject<NetworkPolicySpec>

const isService = (object: KubeObject): object is NetworkService => object.kind === 'Service'
const isSlice = (object: KubeObject): object is NetworkEndpointSlice => object.kind === 'EndpointSlice'

export const servicesIn = (objects: Reader): readonly NetworkService[] => objects.list('', 'services').filter(isService)

export const slicesIn = (objects: Reader, namespace: string): readonly NetworkEndpointSlice[] =>
  objects.list('discovery.k8s.io', 'endpointslices', namespace).filter(isSlice)

/** The service of that name. */
export function serviceIn(objects: Reader, namespace: string, name: string): NetworkService | undefined {
  const object = objects.get('', 'services', namespace, name)
  return object !== undefined && isService(object) ? object : undefined
}
