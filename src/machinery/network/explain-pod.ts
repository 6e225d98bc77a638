import { formatLabelSelector } from '../selectors/label-selector.ts'
import { judgeFlow } from './judge-flow.ts'
import { peerMatches } from './match-peers.ts'
import { portText } from './match-ports.ts'
import {
  type Direction,
  type NetworkPod,
  type NetworkWorld,
  type PolicyPeer,
  type PolicyRule,
  type Protocol,
  podText,
} from './network-world.ts'
import { policiesOf, rulesOf } from './select-policies.ts'

/** Network policies and reachability of a pod. */
export interface NetworkReport {
  readonly pod: string
  /** Policies may not apply: the pod has the address of its node. */
  readonly hostNetwork: boolean
  readonly ingress: DirectionReport
  readonly egress: DirectionReport
  /** For each container port, the pods that reach it. */
  readonly reachedBy: readonly PortReport[]
}

export interface DirectionReport {
  /** True if only traffic that a rule allows passes. */
  readonly isolated: boolean
  readonly policies: readonly { readonly name: string; readonly rules: readonly RuleReport[] }[]
}

export interface RuleReport {
  /** `pods app=web in this namespace`, `10.0.0.0/8 except 10.1.0.0/16`; `anybody` if the rule has no peers. */
  readonly peers: readonly string[]
  /** `TCP 80`; empty means every port. */
  readonly ports: readonly string[]
  /** The pods that match now, of all namespaces; undefined if the rule has no peers. */
  readonly pods: readonly string[] | undefined
}

export interface PortReport {
  readonly port: number
  readonly protocol: Protocol
  readonly name: string
  readonly allowed: readonly string[]
  readonly denied: readonly string[]
}

/** The policies of a pod in both directions, the pods that their rules match now, and the pods that reach its ports. */
export function explainPod(pod: NetworkPod, world: NetworkWorld): NetworkReport {
  return {
    pod: podText(pod),
    hostNetwork: pod.hostNetwork,
    ingress: directionReport(pod, 'Ingress', world),
    egress: directionReport(pod, 'Egress', world),
    reachedBy: pod.ports.map(({ name, port, protocol }) => {
      const others = world.pods.filter((other) => podText(other) !== podText(pod))
      const reaches = (other: NetworkPod) =>
        judgeFlow({ from: { kind: 'pod', pod: other }, to: { kind: 'pod', pod }, port, protocol }, world).allowed
      const allowed = others.filter(reaches)
      return { port, protocol, name, allowed: allowed.map(podText), denied: others.filter((o) => !allowed.includes(o)).map(podText) }
    }),
  }
}

function directionReport(pod: NetworkPod, direction: Direction, world: NetworkWorld): DirectionReport {
  const policies = policiesOf(world.policies, pod, direction)
  return {
    isolated: policies.length > 0,
    policies: policies.map(({ name, spec }) => ({
      name,
      rules: rulesOf(spec, direction).map((rule) => ruleReport(rule, pod.namespace, world)),
    })),
  }
}

function ruleReport({ peers, ports }: PolicyRule, namespace: string, world: NetworkWorld): RuleReport {
  const meant = world.pods.filter((pod) => peers.some((peer) => peerMatches(peer, { kind: 'pod', pod }, namespace, world)))
  return {
    peers: peers.length === 0 ? ['anybody'] : peers.map(peerText),
    ports: ports.map(portText),
    pods: peers.length === 0 ? undefined : meant.map(podText),
  }
}

function peerText({ ipBlock, podSelector, namespaceSelector }: PolicyPeer): string {
  if (ipBlock !== undefined) {
    const { cidr, except = [] } = ipBlock
    return except.length === 0 ? cidr : `${cidr} except ${except.join(', ')}`
  }
  const all = (selector: object | undefined) => selector === undefined || formatLabelSelector(selector) === '<none>'
  const pods = all(podSelector) ? 'all pods' : `pods ${formatLabelSelector(podSelector)}`
  if (namespaceSelector === undefined) return `${pods} in this namespace`
  return all(namespaceSelector) ? `${pods} in every namespace` : `${pods} in namespaces ${formatLabelSelector(namespaceSelector)}`
}
