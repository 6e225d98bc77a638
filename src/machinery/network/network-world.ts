import type { LabelSelector } from '../validation/label-selector.ts'

/** `core/v1 Pod`, as far as the network knows it. */
export interface NetworkPod {
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Its addresses; none while it has not got any. */
  readonly ips: readonly string[]
  /** It has the address of its node: what policies do then is up to the network. */
  readonly hostNetwork: boolean
  readonly ports: readonly NamedPort[]
}

export interface NamedPort {
  readonly name: string
  readonly port: number
  readonly protocol: Protocol
}

export type Protocol = 'TCP' | 'UDP' | 'SCTP'
export type Direction = 'Ingress' | 'Egress'

/** `networking.k8s.io/v1 NetworkPolicy` */
export interface NetworkPolicy {
  readonly namespace: string
  readonly name: string
  readonly spec: NetworkPolicySpec
}

export interface NetworkPolicySpec {
  readonly podSelector?: LabelSelector
  /** Absent: Ingress, and Egress when there are egress rules. */
  readonly policyTypes?: readonly string[]
  readonly ingress?: readonly { readonly from?: readonly PolicyPeer[]; readonly ports?: readonly PolicyPort[] }[]
  readonly egress?: readonly { readonly to?: readonly PolicyPeer[]; readonly ports?: readonly PolicyPort[] }[]
}

export interface PolicyPeer {
  readonly podSelector?: LabelSelector
  readonly namespaceSelector?: LabelSelector
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] }
}

export interface PolicyPort {
  readonly protocol?: Protocol
  readonly port?: number | string
  readonly endPort?: number
}

/** One rule, its direction taken away. Nobody named is everybody, no port named is every port. */
export interface PolicyRule {
  readonly peers: readonly PolicyPeer[]
  readonly ports: readonly PolicyPort[]
}

/** All that decides what may flow. */
export interface NetworkWorld {
  /** Labels of namespaces, by their names. */
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>
  readonly pods: readonly NetworkPod[]
  readonly policies: readonly NetworkPolicy[]
}

/** One end of a connection. */
export type Endpoint = { readonly kind: 'pod'; readonly pod: NetworkPod } | { readonly kind: 'address'; readonly ip: string }

/** `namespace/name` */
export const podText = ({ namespace, name }: NetworkPod): string => `${namespace}/${name}`

export const endpointText = (end: Endpoint): string => (end.kind === 'pod' ? podText(end.pod) : end.ip)
