import { ruleTables } from '../rule-table.contract.ts'
import { ingresses } from './ingresses.ts'

ruleTables(ingresses, {
  object: `
metadata: {name: i}
spec: {defaultBackend: {service: {name: s, port: {number: 80}}}}
`,
  filled: ['status = {loadBalancer: {}}'],
  create: [
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['-spec.defaultBackend.service.name', 'spec.defaultBackend.service.name: Required value'],
    ['-spec', 'spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
    ['-spec.defaultBackend.service.port', 'spec.defaultBackend: Required value: port name or number is required'],
    ['-spec.defaultBackend.service', 'spec.defaultBackend: Invalid value: "": resource or service backend is required'],
    [
      'spec.defaultBackend.service.port.number = -1',
      'spec.defaultBackend.service.port.number: Invalid value: -1: must be between 1 and 65535, inclusive',
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.defaultBackend.service.name = "Bad_Name!"',
      `spec.defaultBackend.service.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label must co…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.defaultBackend.service.name = a × 300',
      'spec.defaultBackend.service.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
  ],
  status: [['metadata.labels = {changed: "yes"} && -spec.defaultBackend', 'metadata.labels = {changed: "yes"}']],
})

ruleTables(ingresses, {
  object: `
metadata: {name: i1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  ingressClassName: nginx
  tls: [{hosts: [a.example.com], secretName: t}]
  rules:
    - host: "*.example.com"
      http:
        paths:
          - {path: /x, pathType: Prefix, backend: {service: {name: s, port: {name: http}}}}
          - {path: /y, pathType: Exact, backend: {resource: {apiGroup: x.example.com, kind: B, name: b}}}
`,
  filled: ['status = {loadBalancer: {}}'],
  create: [
    ['-spec.rules[0].http.paths', 'spec.rules[0].http.paths: Required value'],
    ['spec.rules = []', 'spec: Invalid value: []: either `defaultBackend` or `rules` must be specified'],
    ['-spec.rules[0].http.paths[1].path', 'spec.rules[0].http.paths[1].path: Invalid value: "": must be an absolute path'],
    ['-spec.rules[0].http.paths[0].backend.service.name', 'spec.rules[0].http.paths[0].backend.service.name: Required value'],
    ['-spec.rules[0].http.paths[1].backend.resource.kind', 'spec.rules[0].http.paths[1].backend.resource.kind: Required value'],
    ['-spec.rules[0].http.paths[1].backend.resource.name', 'spec.rules[0].http.paths[1].backend.resource.name: Required value'],
    ['-spec.rules[0].http.paths[1].pathType', 'spec.rules[0].http.paths[1].pathType: Required value: pathType must be specified'],
    [
      '-spec.rules[0].http.paths[0].backend',
      'spec.rules[0].http.paths[0].backend: Invalid value: "": resource or service backend is required',
    ],
    [
      'spec.rules[0].http.paths[1].pathType = ""',
      'spec.rules[0].http.paths[1].pathType: Unsupported value: "": supported values: "Exact", "ImplementationSpecific", "Prefix"',
    ],
    [
      'metadata.annotations[Bad Key!] = x',
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.tls[0].hosts[0] = ""',
      `spec.tls[0].hosts[0]: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower ca…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.ingressClassName = ""',
      `spec.ingressClassName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower c…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.rules[0].host = "Bad_Name!"',
      `spec.rules[0].host: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of l…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.rules[0].http.paths[0].backend.service.name = "Bad_Name!"',
      `spec.rules[0].http.paths[0].backend.service.name: Invalid value: "Bad_Name!": a lowercase RFC 11…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.rules[0].host = a × 300',
      'spec.rules[0].host: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.tls[0].hosts[0] = a × 300',
      'spec.tls[0].hosts[0]: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.ingressClassName = a × 300',
      'spec.ingressClassName: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.tls[0].secretName = a × 300',
      'spec.tls[0].secretName: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      '-spec.rules[0].http.paths[0].backend.service.name && -spec.rules[0].http.paths[0].backend.service.port',
      'spec.rules[0].http.paths[0].backend.service.name: Required value',
      'spec.rules[0].http.paths[0].backend: Required value: port name or number is required',
    ],
    ['-spec.tls[0].hosts'],
  ],
  update: [
    ['-spec.rules[0].http.paths', 'spec.rules[0].http.paths: Required value'],
    ['-spec', 'spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
    ['spec.rules = []', 'spec: Invalid value: []: either `defaultBackend` or `rules` must be specified'],
    ['-spec.rules[0].http.paths[0].path', 'spec.rules[0].http.paths[0].path: Invalid value: "": must be an absolute path'],
    ['-spec.rules[0].http.paths[0].backend.service.name', 'spec.rules[0].http.paths[0].backend.service.name: Required value'],
    ['-spec.rules[0].http.paths[1].pathType', 'spec.rules[0].http.paths[1].pathType: Required value: pathType must be specified'],
    [
      '-spec.rules[0].http.paths[0].backend.service.port',
      'spec.rules[0].http.paths[0].backend: Required value: port name or number is required',
    ],
    [
      'spec.rules[0].http.paths[0].backend = null',
      'spec.rules[0].http.paths[0].backend: Invalid value: "": resource or service backend is required',
    ],
    [
      'spec.rules[0].http.paths[1].pathType = ""',
      'spec.rules[0].http.paths[1].pathType: Unsupported value: "": supported values: "Exact", "ImplementationSpecific", "Prefix"',
    ],
    [
      'spec.rules[0].http.paths[0].backend.service.port.name = "Bad_Name!"',
      'spec.rules[0].http.paths[0].backend.service.port.name: Invalid value: "Bad_Name!": must contain … (a-z, 0-9), and hyphens (-)',
    ],
    [
      'spec.tls[0].hosts[0] = ""',
      `spec.tls[0].hosts[0]: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower ca…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.ingressClassName = "Bad_Name!"',
      `spec.ingressClassName: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist o…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.rules[0].http.paths[0].backend.service.name = "Bad_Name!"',
      `spec.rules[0].http.paths[0].backend.service.name: Invalid value: "Bad_Name!": a lowercase RFC 11…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.ingressClassName = a × 300',
      'spec.ingressClassName: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    ['-metadata.labels[example.com/tier]', '-metadata.labels[example.com/tier]'],
  ],
})
