import { ruleTables } from '../rule-table.contract.ts'
import { ingressClasses } from './ingressclasses.ts'

ruleTables(ingressClasses, {
  object: `
metadata: {name: default}
spec:
  controller: example.com/c
  parameters: {kind: P, name: p, scope: Namespace, namespace: "n", apiGroup: x.example.com}
`,
  create: [
    ['-spec.parameters.kind', 'spec.parameters.kind: Required value'],
    ['-spec.parameters.name', 'spec.parameters.name: Required value'],
    ['-spec.parameters.scope', "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
    ['-spec.parameters.namespace', "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
    ['spec.parameters.scope = ""', 'spec.parameters.scope: Unsupported value: "": supported values: "Cluster", "Namespace"'],
    [
      'spec.parameters.namespace = ""',
      `spec.parameters.namespace: Invalid value: "": a lowercase RFC 1123 label must consist of lower c…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.parameters.apiGroup = ""',
      `spec.parameters.apiGroup: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lowe…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.parameters.apiGroup = a × 300',
      'spec.parameters.apiGroup: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.parameters.namespace = a × 300',
      'spec.parameters.namespace: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
  ],
  update: [
    ['-spec.parameters.kind', 'spec.parameters.kind: Required value'],
    ['-spec.parameters.name', 'spec.parameters.name: Required value'],
    ['-spec', 'spec.controller: Invalid value: "": field is immutable', 'spec.controller: Required value'],
    ['-spec.parameters.scope', "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
    ['-spec.parameters.namespace', "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
    ['spec.parameters.scope = ""', 'spec.parameters.scope: Unsupported value: "": supported values: "Cluster", "Namespace"'],
    [
      'spec.controller = "Bad_Name!"',
      'spec.controller: Invalid value: "Bad_Name!": field is immutable',
      'spec.controller: Invalid value: "Bad_Name!": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
    [
      'spec.parameters.namespace = ""',
      `spec.parameters.namespace: Invalid value: "": a lowercase RFC 1123 label must consist of lower c…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.parameters.apiGroup = ""',
      `spec.parameters.apiGroup: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lowe…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.parameters.apiGroup = a × 300',
      'spec.parameters.apiGroup: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.parameters.namespace = a × 300',
      'spec.parameters.namespace: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'spec.controller = a × 300',
      'spec.controller: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…aaaaaaa": field is immutable',
      'spec.controller: Too long: may not be more than 250 bytes',
      'spec.controller: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…path (such as "acme.io/foo")',
    ],
  ],
})
