import type { LabelSelector } from '../validation/label-selector.ts'

/** A pod as a network endpoint. */
export interface NetworkPod {
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Its addresses; empty before it has any. */
  readonly ips: readonly string[]
  /** It has the address of its node: policies for such pods depend on the network plugin. */
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
  /** Default: Ingress, and Egress if there are egress rules. */
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

/** One rule of either direction. No peers means all peers, no ports means all ports. */
export interface PolicyRule {
  readonly peers: readonly PolicyPeer[]
  readonly ports: readonly PolicyPort[]
}

/** Everything that determines which traffic is allowed. */
export interface NetworkWorld {
  /** Labels of namespaces, by name. */
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>
  readonly pods: readonly NetworkPod[]
  readonly policies: readonly NetworkPolicy[]
}

/** One end of a connection. */
export type Endpoint = { readonly kind: 'pod'; readonly pod: NetworkPod } | { readonly kind: 'address'; readonly ip: string }

/** `namespace/name` */
export const podText = ({ namespace, name }: NetworkPod): string => `${namespace}/${name}`

export const endpointText = (end: Endpoint): string => (end.kind === 'pod' ? podText(end.pod) : end.ip)
