import { definitionOf, ruleTables } from '../rule-table.contract.ts'
import { resourceResources } from './group.ts'

ruleTables(definitionOf(resourceResources, 'resourceclaims'), {
  object: `
metadata: {name: c, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  devices:
    requests:
      - name: r
        exactly:
          deviceClassName: gpu.example.com
          allocationMode: ExactCount
          count: 2
          selectors: [{cel: {expression: "device.attributes[\\"gpu.example.com\\"].model == \\"x\\""}}]
          tolerations: [{key: k, operator: Exists, effect: NoSchedule}]
      - name: alt
        firstAvailable:
          - {name: s1, deviceClassName: gpu.example.com}
          - {name: s2, deviceClassName: b.example.com, allocationMode: All}
    constraints: [{requests: [r], matchAttribute: gpu.example.com/numa}]
    config: [{requests: [r], opaque: {driver: gpu.example.com, parameters: {a: 1}}}]
`,
  filled: [
    'spec.devices.requests[1].firstAvailable[0].allocationMode = ExactCount',
    'spec.devices.requests[1].firstAvailable[0].count = 1',
    'status = {}',
  ],
  create: [
    ['spec.devices.config[0] = null', 'spec.devices.config[0].opaque: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['metadata.name = ""', 'metadata.name: Required value: name or generateName is required'],
    ['spec.devices.config[0].opaque.driver = ""', 'spec.devices.config[0].opaque.driver: Required value'],
    ['spec.devices.config[0].requests = [r, r]', 'spec.devices.config[0].requests[1]: Duplicate value: "r"'],
    ['-spec.devices.config[0].opaque.parameters', 'spec.devices.config[0].opaque.parameters: Required value'],
    ['spec.devices.constraints[0].requests = [r, r]', 'spec.devices.constraints[0].requests[1]: Duplicate value: "r"'],
    ['-spec.devices.requests[0].exactly.selectors[0].cel', 'spec.devices.requests[0].exactly.selectors[0].cel: Required value'],
    ['spec.devices.requests[0].exactly.count = -1', 'spec.devices.requests[0].exactly.count: Invalid value: -1: must be greater than zero'],
    [
      '-spec.devices.requests[1].firstAvailable[0].deviceClassName',
      'spec.devices.requests[1].firstAvailable[0].deviceClassName: Required value',
    ],
    [
      'spec.devices.requests[1].firstAvailable[0].deviceClassName = ""',
      'spec.devices.requests[1].firstAvailable[0].deviceClassName: Required value',
    ],
    [
      '-spec.devices.requests[1].firstAvailable',
      'spec.devices.requests[1]: Required value: exactly one of `exactly` or `firstAvailable` is required',
    ],
    [
      'spec.devices.config[0].opaque.parameters = x',
      'spec.devices.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
    ],
    [
      'spec.devices.constraints[0] = null',
      'spec.devices.constraints[0]: Required value: exactly one of "matchAttribute" or "distinctAttribu… but multiple fields are set',
    ],
    [
      'spec.devices.requests[1].firstAvailable[1].allocationMode = Allx',
      'spec.devices.requests[1].firstAvailable[1].allocationMode: Unsupported value: "Allx": supported values: "All", "ExactCount"',
    ],
    [
      'spec.devices.requests[0].exactly.tolerations[0].operator = Existsx',
      'spec.devices.requests[0].exactly.tolerations[0].operator: Unsupported value: "Existsx": supported values: "Equal", "Exists"',
    ],
    [
      'spec.devices.config[0].requests[0] = rx',
      `spec.devices.config[0].requests[0]: Invalid value: "rx": must be the name of a request in the cl… subrequest separated by '/'`,
    ],
    [
      'spec.devices.requests[0].exactly.tolerations[0].effect = "Bad_Name!"',
      'spec.devices.requests[0].exactly.tolerations[0].effect: Unsupported value: "Bad_Name!": supporte…ecute", "NoSchedule", "None"',
    ],
    [
      'spec.devices.requests[1].firstAvailable = [{name: s1, deviceClassName: gpu.example.com}, {name: s1, deviceClassName: gpu.example.com}, {name: s2, deviceClassName: b.example.com, allocationMode: All}]',
      'spec.devices.requests[1].firstAvailable[1]: Duplicate value: "s1"',
    ],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      '-spec.devices.requests[1].name',
      `spec.devices.requests[1].name: Invalid value: "": a lowercase RFC 1123 label must consist of low…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'metadata.annotations[Bad Key!] = x',
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.labels.key = "a b!"',
      `metadata.labels: Invalid value: "a b!": a valid label must be an empty string or consist of alph…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.devices.config[0].opaque.driver = "Bad_Name!"',
      `spec.devices.config[0].opaque.driver: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.devices.requests[0].exactly.tolerations[0].key = "Bad_Name!"',
      `spec.devices.requests[0].exactly.tolerations[0].key: Invalid value: "Bad_Name!": name part must …A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.labels[example.com/tier] = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.devices.requests[1].name = a × 300',
      'spec.devices.requests[1].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'spec.devices.requests[1].firstAvailable[0].deviceClassName = "Bad_Name!"',
      `spec.devices.requests[1].firstAvailable[0].deviceClassName: Invalid value: "Bad_Name!": a lowerc…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.devices.constraints[0].matchAttribute = ""',
      `spec.devices.constraints[0].matchAttribute: Invalid value: "": a valid C identifier must start w…is '[A-Za-z_][A-Za-z0-9_]*')`,
      'spec.devices.constraints[0].matchAttribute: Invalid value: "": a fully qualified name must be a … a name separated by a slash',
    ],
    [
      'spec.devices.requests[0].exactly.tolerations[0].key = a × 300',
      'spec.devices.requests[0].exactly.tolerations[0].key: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.devices.requests[1].firstAvailable[0].deviceClassName = a × 300',
      'spec.devices.requests[1].firstAvailable[0].deviceClassName: Invalid value: "aaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.devices.config[0].requests = [null, r]',
      `spec.devices.config[0].requests[0]: Invalid value: "": a lowercase RFC 1123 label must consist o…z0-9]([-a-z0-9]*[a-z0-9])?')`,
      `spec.devices.config[0].requests[0]: Invalid value: "": must be the name of a request in the clai… subrequest separated by '/'`,
    ],
    [
      'spec.devices.constraints[0].requests[0] = ""',
      `spec.devices.constraints[0].requests[0]: Invalid value: "": a lowercase RFC 1123 label must cons…z0-9]([-a-z0-9]*[a-z0-9])?')`,
      `spec.devices.constraints[0].requests[0]: Invalid value: "": must be the name of a request in the… subrequest separated by '/'`,
    ],
    [
      'spec.devices.config[0].opaque.driver = a × 300',
      'spec.devices.config[0].opaque.driver: Too long: may not be more than 63 bytes',
      'spec.devices.config[0].opaque.driver: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.devices.constraints[0].matchAttribute = a × 300',
      'spec.devices.constraints[0].matchAttribute: Too long: may not be more than 32 bytes',
      'spec.devices.constraints[0].matchAttribute: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… a name separated by a slash',
    ],
    [
      'spec.devices.constraints[0].requests[0] = a × 300',
      'spec.devices.constraints[0].requests[0]: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
      `spec.devices.constraints[0].requests[0]: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… subrequest separated by '/'`,
    ],
    ['-spec.devices.config'],
    ['-spec.devices.constraints'],
  ],
  update: [
    ['spec = null', 'spec: Invalid value: {"Devices":{"Requests":null,"Constraints":null,"Config":null}}: field is immutable'],
    [
      'spec.devices.requests = null',
      'spec: Invalid value: {"Devices":{"Requests":null,"Constraints":[{"Requests":["r"],"MatchAttribut…:1}}}]}}: field is immutable',
    ],
  ],
})
