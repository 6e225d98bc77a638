import { ruleTables } from '../rule-table.contract.ts'
import { networkPolicies } from './networkpolicies.ts'

ruleTables(networkPolicies, {
  object: `
metadata: {name: "n"}
spec: {podSelector: {}}
`,
  filled: ['spec.policyTypes = [Ingress]'],
  create: [['-spec.podSelector', 'spec.podSelector = {}']],
  update: [['-spec.podSelector']],
})

ruleTables(networkPolicies, {
  object: `
metadata: {name: n1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  podSelector: {matchLabels: {app: web}}
  policyTypes: [Ingress, Egress]
  ingress:
    - from:
        - {podSelector: {}, namespaceSelector: {matchLabels: {a: b}}}
        - {ipBlock: {cidr: "10.0.0.0/8", except: ["10.1.0.0/16"]}}
      ports: [{protocol: TCP, port: 80, endPort: 90}, {port: http}]
  egress: [{to: [{ipBlock: {cidr: "0.0.0.0/0"}}]}]
`,
  filled: ['spec.ingress[0].ports[1].protocol = TCP'],
  create: [
    [
      'spec.ingress[0].ports[0].protocol = tcp',
      'spec.ingress[0].ports[0].protocol: Unsupported value: "tcp": supported values: "TCP", "UDP", "SCTP"',
    ],
    ['spec.ingress[0].ports[0].protocol = SCTP'],
    ['spec.ingress[0].ports[0].endPort = 80'],
    [
      'spec.ingress[0].ports[0].endPort = 79',
      'spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`',
    ],
    ['-spec.egress[0].to[0].ipBlock.cidr', 'spec.egress[0].to[0].ipBlock.cidr: Required value'],
    ['spec.egress[0].to[0] = null', 'spec.egress[0].to[0]: Required value: must specify a peer'],
    ['-spec.ingress[0].from[1].ipBlock.cidr', 'spec.ingress[0].from[1].ipBlock.cidr: Required value'],
    ['-spec.ingress[0].from[1].ipBlock', 'spec.ingress[0].from[1]: Required value: must specify a peer'],
    ['spec.ingress[0].ports[0].port = 0', 'spec.ingress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive'],
    [
      'spec.ingress[0].ports[0].port = abc',
      'spec.ingress[0].ports[0].endPort: Invalid value: 90: may not be specified when `port` is non-numeric',
    ],
    [
      'spec.ingress[0].ports[0].port = null',
      'spec.ingress[0].ports[0].endPort: Invalid value: 90: may not be specified when `port` is not specified',
    ],
    [
      'spec.egress[0].to[0].ipBlock.cidr = "Bad_Name!"',
      'spec.egress[0].to[0].ipBlock.cidr: Invalid value: "Bad_Name!": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
    [
      'spec.ingress[0].ports[0].endPort = 0',
      'spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`',
      'spec.ingress[0].ports[0].endPort: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
    [
      'spec.ingress[0].ports[1].port = ""',
      'spec.ingress[0].ports[1].port: Invalid value: "": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.ingress[0].ports[1].port: Invalid value: "": must contain at least one letter (a-z)',
    ],
    [
      'spec.podSelector.matchLabels[Bad Key!] = x',
      `spec.podSelector.matchLabels: Invalid value: "Bad Key!": name part must consist of alphanumeric …A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.podSelector.matchLabels.key = "a b!"',
      `spec.podSelector.matchLabels: Invalid value: "a b!": a valid label must be an empty string or co…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.ingress[0].from[0].namespaceSelector.matchLabels[Bad Key!] = x',
      `spec.ingress[0].from[0].namespaceSelector.matchLabels: Invalid value: "Bad Key!": name part must…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.podSelector.matchLabels.app = a × 300',
      'spec.podSelector.matchLabels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.ingress[0].from[0].namespaceSelector.matchLabels.a = "Bad_Name!"',
      `spec.ingress[0].from[0].namespaceSelector.matchLabels: Invalid value: "Bad_Name!": a valid label…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.ingress[0].ports[1].port = a × 300',
      'spec.ingress[0].ports[1].port: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 15 characters',
    ],
    [
      'spec.ingress[0].from[0].namespaceSelector.matchLabels.a = a × 300',
      'spec.ingress[0].from[0].namespaceSelector.matchLabels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    ['-spec.podSelector.matchLabels.app', '-spec.podSelector.matchLabels'],
  ],
  update: [
    ['-spec.egress[0].to[0].ipBlock.cidr', 'spec.egress[0].to[0].ipBlock.cidr: Required value'],
    ['spec.egress[0].to = [null, {ipBlock: {cidr: "0.0.0.0/0"}}]', 'spec.egress[0].to[0]: Required value: must specify a peer'],
    [
      'spec.egress[0].to[0].ipBlock.cidr = "Bad_Name!"',
      'spec.egress[0].to[0].ipBlock.cidr: Invalid value: "Bad_Name!": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
  ],
})
