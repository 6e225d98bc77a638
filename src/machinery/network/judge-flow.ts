import { peerMatches } from './match-peers.ts'
import { type FlowPort, portMatches } from './match-ports.ts'
import type { Direction, Endpoint, NetworkPod, NetworkWorld } from './network-world.ts'
import { policiesOf, rulesOf } from './select-policies.ts'

/** A connection to be checked. */
export interface Flow extends FlowPort {
  readonly from: Endpoint
  readonly to: Endpoint
}

/** The decision of one side of a connection. */
export type Gate =
  /** No policy selects this side: everything passes. */
  | { readonly kind: 'open' }
  /** Policies select it, and a rule allows the connection. */
  | { readonly kind: 'allowed'; readonly by: readonly PolicyRuleRef[] }
  /** Policies select it, and no rule allows the connection. */
  | { readonly kind: 'denied'; readonly policies: readonly string[] }

/** A rule of a policy of the same namespace; the first is 1. */
export interface PolicyRuleRef {
  readonly policy: string
  readonly rule: number
}

export interface FlowVerdict {
  readonly allowed: boolean
  /** The sender's side. */
  readonly egress: Gate
  /** The receiver's side. */
  readonly ingress: Gate
}

const OPEN: Gate = { kind: 'open' }

/** Decides whether a connection is allowed: the sender's policies must let it out, and the receiver's let it in. Responses need no rule. */
export function judgeFlow(flow: Flow, world: NetworkWorld): FlowVerdict {
  // A pod always reaches itself.
  const itself = flow.from.kind === 'pod' && flow.to.kind === 'pod' && samePod(flow.from.pod, flow.to.pod)
  const egress = itself || flow.from.kind !== 'pod' ? OPEN : gate(flow.from.pod, 'Egress', flow, world)
  const ingress = itself || flow.to.kind !== 'pod' ? OPEN : gate(flow.to.pod, 'Ingress', flow, world)
  return { allowed: egress.kind !== 'denied' && ingress.kind !== 'denied', egress, ingress }
}

const samePod = (a: NetworkPod, b: NetworkPod) => a.namespace === b.namespace && a.name === b.name

function gate(pod: NetworkPod, direction: Direction, flow: Flow, world: NetworkWorld): Gate {
  const policies = policiesOf(world.policies, pod, direction)
  if (policies.length === 0) return OPEN
  const other = direction === 'Ingress' ? flow.from : flow.to
  const by = policies.flatMap(({ name, namespace, spec }) =>
    rulesOf(spec, direction).flatMap(({ peers, ports }, i) => {
      const meant = peers.length === 0 || peers.some((peer) => peerMatches(peer, other, namespace, world))
      const atPort = ports.length === 0 || ports.some((port) => portMatches(port, flow, flow.to))
      return meant && atPort ? [{ policy: name, rule: i + 1 }] : []
    }),
  )
  return by.length > 0 ? { kind: 'allowed', by } : { kind: 'denied', policies: policies.map((p) => p.name) }
}
