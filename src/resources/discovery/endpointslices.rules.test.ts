import { ruleTables } from '../rule-table.contract.ts'
import { endpointSlices } from './endpointslices.ts'

ruleTables(endpointSlices, {
  object: `
metadata: {name: e}
addressType: IPv4
endpoints: []
`,
  filled: ['endpoints = null', 'ports = null'],
  create: [
    ['-addressType', 'addressType: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    [
      'addressType = IPv6 && endpoints = [{addresses: ["10.1.1.1"]}]',
      'endpoints[0].addresses: Invalid value: "10.1.1.1": must be an IPv6 address',
    ],
    ['addressType = IPv4x', 'addressType: Unsupported value: "IPv4x": supported values: "FQDN", "IPv4", "IPv6"'],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
  ],
  update: [['-addressType', 'addressType: Required value', 'addressType: Invalid value: "": field is immutable']],
})

ruleTables(endpointSlices, {
  object: `
metadata: {name: e1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
addressType: IPv4
endpoints:
  - addresses: ["10.1.1.1"]
    conditions: {ready: true, serving: true, terminating: false}
    hostname: h
    nodeName: "n"
    zone: z
    hints: {forZones: [{name: z}]}
    targetRef: {kind: Pod, name: p}
ports: [{name: http, port: 80, protocol: TCP, appProtocol: http}]
`,
  create: [
    ['endpoints[0] = null', 'endpoints[0].addresses: Required value: must contain at least 1 address'],
    ['ports[0].protocol = ""', 'ports[0].protocol: Unsupported value: "": supported values: "SCTP", "TCP", "UDP"'],
    ['endpoints[0].hints.forZones = [{name: z}, {name: z}]', 'endpoints[0].hints.forZones[1].name: Duplicate value: "z"'],
    [
      'endpoints[0].addresses[0] = ""',
      'endpoints[0].addresses[0]: Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      'ports = [{name: http, port: 80, protocol: TCP, appProtocol: http}, {name: http, port: 80, protocol: TCP, appProtocol: http}]',
      'ports[1].name: Duplicate value: "http"',
    ],
    [
      'ports[0].name = "Bad_Name!"',
      `ports[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label must consist of lower case…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.labels.key = "a b!"',
      `metadata.labels: Invalid value: "a b!": a valid label must be an empty string or consist of alph…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'endpoints[0].hints.forZones[0].name = "Bad_Name!"',
      `endpoints[0].hints.forZones[0].name: Invalid value: "Bad_Name!": a valid label must be an empty …Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'ports[0].name = a × 300',
      'ports[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'metadata.labels.app = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'endpoints[0].hints.forZones[0].name = a × 300',
      'endpoints[0].hints.forZones[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    ['-endpoints[0].hints.forZones'],
  ],
  update: [
    ['endpoints[0] = null', 'endpoints[0].addresses: Required value: must contain at least 1 address'],
    [
      'endpoints[0].addresses = [null, "10.1.1.1"]',
      'endpoints[0].addresses[0]: Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      'endpoints[0].hostname = ""',
      `endpoints[0].hostname: Invalid value: "": a lowercase RFC 1123 label must consist of lower case …z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'ports[0].appProtocol = "Bad_Name!"',
      `ports[0].appProtocol: Invalid value: "Bad_Name!": name part must consist of alphanumeric charact…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'endpoints[0].nodeName = ""',
      `endpoints[0].nodeName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower c…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'ports[0].name = a × 300',
      'ports[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'endpoints[0].hostname = a × 300',
      'endpoints[0].hostname: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'ports[0].protocol = a × 300',
      'ports[0].protocol: Unsupported value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…values: "SCTP", "TCP", "UDP"',
    ],
    [
      'endpoints[0].nodeName = a × 300',
      'endpoints[0].nodeName: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'ports[0].appProtocol = a × 300',
      'ports[0].appProtocol: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'endpoints[0].hints.forZones[0].name = a × 300',
      'endpoints[0].hints.forZones[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
})
