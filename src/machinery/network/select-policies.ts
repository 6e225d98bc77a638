import { byText } from '../../base/by-text.ts'
import { compileLabelSelector } from '../selectors/label-selector.ts'
import type { Direction, NetworkPod, NetworkPolicy, NetworkPolicySpec, PolicyRule } from './network-world.ts'

/** The directions to which a policy applies. */
export function directionsOf({ policyTypes, egress }: NetworkPolicySpec): readonly Direction[] {
  if (policyTypes === undefined || policyTypes.length === 0) return (egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
  return (['Ingress', 'Egress'] as const).filter((direction) => policyTypes.includes(direction))
}

/** The policies that isolate a pod in a direction, sorted by name. */
export function policiesOf(policies: readonly NetworkPolicy[], pod: NetworkPod, direction: Direction): readonly NetworkPolicy[] {
  return policies
    .filter(
      ({ namespace, spec }) =>
        namespace === pod.namespace &&
        directionsOf(spec).includes(direction) &&
        compileLabelSelector(spec.podSelector ?? {}).matches(pod.labels),
    )
    .toSorted((a, b) => byText(a.name, b.name))
}

/** The rules of a policy in a direction. */
export const rulesOf = ({ ingress = [], egress = [] }: NetworkPolicySpec, direction: Direction): readonly PolicyRule[] =>
  direction === 'Ingress'
    ? ingress.map(({ from = [], ports = [] }) => ({ peers: from, ports }))
    : egress.map(({ to = [], ports = [] }) => ({ peers: to, ports }))
