import { ruleTables } from '../rule-table.contract.ts'
import { configMaps } from './configmaps.ts'

ruleTables(configMaps, {
  object: `
metadata: {name: c}
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

ruleTables(configMaps, {
  object: `
metadata: {name: c1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
data: {a.conf: x, b: "y"}
binaryData: {z: "aGk="}
immutable: true
`,
  create: [
    [
      'data[Bad Key!] = x',
      `data[Bad Key!]: Invalid value: "Bad Key!": a valid config key must consist of alphanumeric chara…dation is '[-._a-zA-Z0-9]+')`,
    ],
  ],
  update: [
    ['-data.b', 'data: Forbidden: field is immutable when `immutable` is set'],
    ['-immutable', 'immutable: Forbidden: field is immutable when `immutable` is set'],
    ['-binaryData', 'binaryData: Forbidden: field is immutable when `immutable` is set'],
    [
      'data[Bad Key!] = x',
      'data: Forbidden: field is immutable when `immutable` is set',
      `data[Bad Key!]: Invalid value: "Bad Key!": a valid config key must consist of alphanumeric chara…dation is '[-._a-zA-Z0-9]+')`,
    ],
  ],
})
