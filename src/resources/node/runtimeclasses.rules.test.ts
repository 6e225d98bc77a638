import { ruleTables } from '../rule-table.contract.ts'
import { runtimeClasses } from './runtimeclasses.ts'

ruleTables(runtimeClasses, {
  object: `
metadata: {name: default}
handler: runsc
overhead: {podFixed: {cpu: "10m", memory: "10Mi"}}
scheduling: {nodeSelector: {a: b}, tolerations: [{key: k, operator: Exists}]}
`,
  create: [
    ['-handler', 'handler: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['overhead.podFixed.cpu = "-1"', 'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
    [
      'scheduling.tolerations[0].operator = Existsx',
      'scheduling.tolerations[0].operator: Unsupported value: "Existsx": supported values: "Equal", "Exists"',
    ],
    [
      'scheduling.tolerations[0] = null',
      'scheduling.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is emp…tch all values and all keys"',
    ],
    [
      'scheduling.tolerations = [{key: k, operator: Exists}, {key: k, operator: Exists}]',
      'scheduling.tolerations[1]: Duplicate value: {"Key":"k","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":null}',
    ],
    [
      'scheduling.nodeSelector = {"beta.kubernetes.io/os": linux, "kubernetes.io/arch": amd64}',
      'warning: scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead',
    ],
    [
      'overhead.podFixed.nonsense = 1',
      'overhead.limits[nonsense]: Invalid value: "nonsense": must be a standard resource type or fully qualified',
      'overhead.limits[nonsense]: Invalid value: "nonsense": must be a standard resource for containers',
    ],
    [
      'handler = "Bad_Name!"',
      `handler: Invalid value: "Bad_Name!": a lowercase RFC 1123 label must consist of lower case alpha…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'scheduling.nodeSelector[Bad Key!] = x',
      `scheduling.nodeSelector: Invalid value: "Bad Key!": name part must consist of alphanumeric chara…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'scheduling.tolerations[0].key = "Bad_Name!"',
      `scheduling.tolerations[0].key: Invalid value: "Bad_Name!": name part must consist of alphanumeri…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'scheduling.nodeSelector.key = "a b!"',
      `scheduling.nodeSelector: Invalid value: "a b!": a valid label must be an empty string or consist…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'handler = a × 300',
      'handler: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'scheduling.nodeSelector.a = a × 300',
      'scheduling.nodeSelector: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'scheduling.tolerations[0].key = a × 300',
      'scheduling.tolerations[0].key: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    ['-scheduling'],
    ['-overhead.podFixed'],
    ['-scheduling.tolerations'],
  ],
})
