import { ruleTables } from '../rule-table.contract.ts'
import { endpoints } from './endpoints.ts'

ruleTables(endpoints, {
  object: `
metadata: {name: e}
`,
  create: [
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
  ],
})

ruleTables(endpoints, {
  object: `
metadata: {name: e1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
subsets:
  - addresses: [{ip: "10.1.1.1", hostname: h, nodeName: n1, targetRef: {kind: Pod, name: p, namespace: x}}]
    notReadyAddresses: [{ip: "10.1.1.2"}]
    ports: [{name: http, port: 80, protocol: TCP, appProtocol: http}]
`,
  create: [
    // They are stored as they are sent: neither sorted nor joined.
    [
      'subsets[1] = {addresses: [{ip: 10.0.0.9}, {ip: 10.0.0.1}, {ip: 10.0.0.9}], ports: [{name: b, port: 90, protocol: TCP}, {name: a, port: 80, protocol: TCP}]}',
    ],
    ['-subsets[0].ports[0].name'],
    ['subsets[0].ports[1] = {port: 81, name: b, protocol: TCP}'],
    ['subsets[0].ports[1] = {port: 81, protocol: TCP}', 'subsets[0].ports[1].name: Required value'],
    ['-subsets[0].ports'],
    ['-subsets[0].notReadyAddresses'],
    ['-subsets[0].addresses'],
    [
      '-subsets[0].addresses && -subsets[0].notReadyAddresses',
      'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`',
    ],
    [
      'subsets[0].notReadyAddresses[0].ip = 127.0.0.1',
      'subsets[0].notReadyAddresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
    ['-subsets[0].ports[0].port', 'subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive'],
    [
      'subsets[0].ports[0].protocol = TCPx',
      'subsets[0].ports[0].protocol: Unsupported value: "TCPx": supported values: "SCTP", "TCP", "UDP"',
    ],
    [
      'subsets[0].ports = [null, {name: http, port: 80, protocol: TCP, appProtocol: http}]',
      'subsets[0].ports[0].name: Required value',
      'subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
    [
      '-subsets[0].addresses[0].ip',
      'subsets[0].addresses[0].ip: Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'subsets[0].addresses[0].ip: Invalid value: "": must be a valid IP address',
    ],
    [
      'metadata.annotations[Bad Key!] = x',
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'subsets[0].ports[0].name = "Bad_Name!"',
      `subsets[0].ports[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label must consist of…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'subsets[0].ports[0].appProtocol = "Bad_Name!"',
      `subsets[0].ports[0].appProtocol: Invalid value: "Bad_Name!": name part must consist of alphanume…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'subsets[0].addresses[0].nodeName = ""',
      `subsets[0].addresses[0].nodeName: Invalid value: "": a lowercase RFC 1123 subdomain must consist…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'subsets[0].ports[0].appProtocol = ""',
      'subsets[0].ports[0].appProtocol: Invalid value: "": name part must be non-empty',
      `subsets[0].ports[0].appProtocol: Invalid value: "": name part must consist of alphanumeric chara…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'subsets[0].ports[0].name = a × 300',
      'subsets[0].ports[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'subsets[0].addresses[0].hostname = a × 300',
      'subsets[0].addresses[0].hostname: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'subsets[0].addresses[0].nodeName = a × 300',
      'subsets[0].addresses[0].nodeName: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'subsets[0].ports[0].appProtocol = a × 300',
      'subsets[0].ports[0].appProtocol: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
  update: [
    ['subsets[0] = null', 'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
    ['subsets[0].ports[0] = null', 'subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive'],
    [
      'subsets[0].addresses[0] = null',
      'subsets[0].addresses[0].ip: Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'subsets[0].addresses[0].ip: Invalid value: "": must be a valid IP address',
    ],
    [
      'subsets[0].ports[0].name = "Bad_Name!"',
      `subsets[0].ports[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label must consist of…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'subsets[0].addresses[0].nodeName = ""',
      `subsets[0].addresses[0].nodeName: Invalid value: "": a lowercase RFC 1123 subdomain must consist…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'subsets[0].addresses[0].hostname = a × 300',
      'subsets[0].addresses[0].hostname: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'subsets[0].addresses[0].nodeName = a × 300',
      'subsets[0].addresses[0].nodeName: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
  ],
})
