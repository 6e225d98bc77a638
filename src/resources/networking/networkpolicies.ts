import { child, type FieldError, forbidden, index, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { cidrContains, cidrWarnings, parseCidr } from '../../machinery/ip-address.ts'
import { ianaServiceName } from '../../machinery/names.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { validateLabelSelector } from '../../machinery/validation/label-selector.ts'
import { selectorText } from '../cells.ts'
import { each, invalidEach, validateCidr, validatePort } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import type * as networking from '../types/networking.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

type NetworkPolicy = UncheckedObject<networking.NetworkPolicy>
type Peer = Unchecked<networking.NetworkPolicyPeer>
type IpBlock = Unchecked<networking.IPBlock>
type PolicyPort = Unchecked<networking.NetworkPolicyPort>
interface PolicyRule {
  from?: Peer[]
  to?: Peer[]
  ports?: PolicyPort[]
}

export const networkPolicies = define<NetworkPolicy>({
  group: 'networking.k8s.io',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  singular: 'networkpolicy',
  metadataChecks: 'as-update',
  shortNames: ['netpol'],
  columns: [NAME, { name: 'Pod-Selector', describes: 'spec.podSelector', cell: (o) => selectorText(o.spec?.podSelector) }, AGE],
  rules: {
    generation: 'spec',
    generationCountsEmpty: true,
    defaults,
    validateCreate: (object) => validate(object, new Set()),
    validateUpdate: (object, old) => validate(object, rangesOf(old)),
    warnings,
  },
})

const rulesOf = (object: NetworkPolicy): { path: string; peers: 'from' | 'to'; rules: PolicyRule[] }[] => [
  { path: child('spec', 'ingress'), peers: 'from', rules: object.spec?.ingress ?? [] },
  { path: child('spec', 'egress'), peers: 'to', rules: object.spec?.egress ?? [] },
]

function defaults(draft: NetworkPolicy): void {
  draft.spec ??= {}
  for (const { rules } of rulesOf(draft)) for (const rule of rules) for (const port of rule?.ports ?? []) if (port) port.protocol ??= 'TCP'
  if (!draft.spec.policyTypes?.length) draft.spec.policyTypes = draft.spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress']
}

/** Every address range in a policy. */
const rangesOf = (object: NetworkPolicy): ReadonlySet<string> =>
  new Set(
    rulesOf(object).flatMap(({ peers, rules }) =>
      rules.flatMap((rule) => (rule[peers] ?? []).flatMap(({ ipBlock }) => [ipBlock?.cidr ?? [], ipBlock?.except ?? []].flat())),
    ),
  )

/** Address ranges in `accepted` are those of the old policy. */
function validate(object: NetworkPolicy, accepted: ReadonlySet<string>): FieldError[] {
  const faults = validateLabelSelector(object.spec?.podSelector, child('spec', 'podSelector'))
  for (const { path, peers, rules } of rulesOf(object)) {
    faults.push(
      ...each(rules, path, (rule, at) => [
        ...each(rule.ports, child(at, 'ports'), validatePolicyPort),
        ...each(rule[peers], child(at, peers), (peer, p) => validatePeer(peer, p, accepted)),
      ]),
    )
  }
  const types: string[] = object.spec?.policyTypes ?? []
  const typesPath = child('spec', 'policyTypes')
  if (types.length > 2) return [...faults, invalid(typesPath, types, 'may not specify more than two policyTypes')]
  return [
    ...faults,
    ...faultsOfEach(types, (type, i) =>
      type !== 'Ingress' && type !== 'Egress' ? [notSupported(index(typesPath, i), type, ['Ingress', 'Egress'])] : [],
    ),
  ]
}

const PROTOCOLS = ['TCP', 'UDP', 'SCTP']

function validatePolicyPort(port: PolicyPort, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (port.protocol !== undefined && !PROTOCOLS.includes(port.protocol))
    faults.push(notSupported(child(path, 'protocol'), port.protocol, PROTOCOLS))
  const end = port.endPort
  const endPath = child(path, 'endPort')
  if (port.port === undefined) {
    if (end !== undefined) faults.push(invalid(endPath, end, 'may not be specified when `port` is not specified'))
    return faults
  }
  if (typeof port.port === 'string') {
    if (end !== undefined) faults.push(invalid(endPath, end, 'may not be specified when `port` is non-numeric'))
    return [...faults, ...invalidEach(child(path, 'port'), port.port, ianaServiceName(port.port))]
  }
  faults.push(...validatePort(port.port, child(path, 'port')))
  if (end !== undefined) {
    if (end < port.port) faults.push(invalid(endPath, port.port, 'must be greater than or equal to `port`'))
    faults.push(...validatePort(end, endPath))
  }
  return faults
}

function validatePeer(peer: Peer, path: string, accepted: ReadonlySet<string>): FieldError[] {
  const faults: FieldError[] = []
  const count = [peer.podSelector, peer.namespaceSelector, peer.ipBlock].filter((p) => p !== undefined).length
  faults.push(...validateLabelSelector(peer.podSelector, child(path, 'podSelector')))
  faults.push(...validateLabelSelector(peer.namespaceSelector, child(path, 'namespaceSelector')))
  if (peer.ipBlock) faults.push(...validateIpBlock(peer.ipBlock, child(path, 'ipBlock'), accepted))
  if (count === 0) faults.push(required(path, 'must specify a peer'))
  else if (count > 1 && peer.ipBlock) faults.push(forbidden(path, 'may not specify both ipBlock and another peer'))
  return faults
}

function validateIpBlock(block: IpBlock, path: string, accepted: ReadonlySet<string>): FieldError[] {
  if (!block.cidr) return [required(child(path, 'cidr'))]
  const faults = validateCidr(block.cidr, child(path, 'cidr'), accepted)
  const outer = parseCidr(block.cidr)
  if (outer === undefined) return faults
  return [
    ...faults,
    ...faultsOfEach(block.except, (text, i) => {
      const found: FieldError[] = []
      const at = index(child(path, 'except'), i)
      found.push(...validateCidr(text, at, accepted))
      const inner = parseCidr(text)
      if (inner === undefined) return found
      if (!cidrContains(outer, inner.address) || outer.prefixLength >= inner.prefixLength)
        found.push(invalid(at, text, 'must be a strict subset of `cidr`'))
      return found
    }),
  ]
}

function warnings(object: NetworkPolicy): string[] {
  const out: string[] = []
  for (const { path, peers, rules } of rulesOf(object)) {
    for (const [i, rule] of rules.entries()) {
      for (const [j, peer] of (rule[peers] ?? []).entries()) {
        const at = child(index(child(index(path, i), peers), j), 'ipBlock')
        if (peer.ipBlock?.cidr) out.push(...cidrWarnings(child(at, 'cidr'), peer.ipBlock.cidr))
        for (const [k, text] of (peer.ipBlock?.except ?? []).entries()) out.push(...cidrWarnings(index(child(at, 'except'), k), text))
      }
    }
  }
  return out
}
