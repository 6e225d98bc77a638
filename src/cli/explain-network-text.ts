import type { DirectionReport, NetworkReport, PortReport, RuleReport } from '../machinery/network/explain-pod.ts'
import type { Flow, FlowVerdict, Gate } from '../machinery/network/judge-flow.ts'
import { endpointText } from '../machinery/network/network-world.ts'

/** The most pods that are listed by name; further ones are counted. */
const MAX_PODS = 10

/** A report as text. */
export function networkText(report: NetworkReport): string {
  const host = report.hostNetwork ? ['It has the address of its node: whether policies hold for it is up to the network.'] : []
  return [
    `pod ${report.pod}`,
    ...host,
    directionText('Ingress', 'come in', report.ingress),
    directionText('Egress', 'go out', report.egress),
    ...report.reachedBy.map(portText),
  ].join('\n\n')
}

function directionText(name: string, verb: string, { isolated, policies }: DirectionReport): string {
  if (!isolated) return `${name}: no policy selects it, so that everything may ${verb}.`
  const lines = policies.flatMap((policy) => [
    `  ${policy.name}`,
    ...(policy.rules.length === 0 ? ['    allows nothing'] : policy.rules.map((rule, i) => `    rule ${i + 1}: ${ruleText(name, rule)}`)),
  ])
  return [`${name}: only this may ${verb}:`, ...lines].join('\n')
}

function ruleText(direction: string, { peers, ports, pods }: RuleReport): string {
  const where = direction === 'Ingress' ? 'from' : 'to'
  const now = pods === undefined ? '' : ` (now ${pods.length === 0 ? 'no pod' : listed(pods)})`
  return `${where} ${peers.join('; ')}, ${ports.length === 0 ? 'every port' : ports.join(', ')}${now}`
}

function portText({ port, protocol, name, allowed, denied }: PortReport): string {
  const title = `Port ${protocol} ${port}${name === '' ? '' : ` (${name})`}`
  const who = (pods: readonly string[]) => (pods.length === 0 ? 'no pod' : listed(pods))
  return `${title}\n  reached by ${who(allowed)}\n  not by ${who(denied)}`
}

const listed = (pods: readonly string[]): string =>
  pods.length <= MAX_PODS ? pods.join(', ') : `${pods.slice(0, MAX_PODS).join(', ')} and ${pods.length - MAX_PODS} more`

/** Whether one connection is allowed, and by which policies. */
export function flowText({ from, to, port, protocol }: Flow, { allowed, egress, ingress }: FlowVerdict): string {
  const title = `${endpointText(from)} → ${endpointText(to)}, ${protocol} ${port}: ${allowed ? 'allowed' : 'denied'}`
  return [title, ...sideText('leaving', from.kind, egress), ...sideText('arriving', to.kind, ingress)].join('\n')
}

function sideText(verb: string, kind: 'pod' | 'address', gate: Gate): string[] {
  if (kind === 'address') return []
  switch (gate.kind) {
    case 'open':
      return [`  ${verb}: no policy selects it`]
    case 'allowed':
      return [`  ${verb}: allowed by ${gate.by.map(({ policy, rule }) => `${policy} (rule ${rule})`).join(', ')}`]
    case 'denied':
      return [`  ${verb}: denied, for no rule of ${gate.policies.join(', ')} allows it`]
  }
}
