import { ruleTables } from '../rule-table.contract.ts'
import { secrets } from './secrets.ts'

ruleTables(secrets, {
  object: `
metadata: {name: s5, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
type: kubernetes.io/ssh-auth
stringData: {ssh-privatekey: k}
`,
  filled: ['-stringData', 'data = {ssh-privatekey: "aw=="}'],
  create: [['-stringData', 'data[ssh-privatekey]: Required value']],
})

ruleTables(secrets, {
  object: `
metadata: {name: s2, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
type: kubernetes.io/tls
data: {tls.crt: "aGk=", tls.key: "aGk="}
`,
  create: [['-data[tls.crt]', 'data[tls.crt]: Required value']],
  update: [['-type', 'type: Invalid value: "Opaque": field is immutable']],
})

ruleTables(secrets, {
  object: `
metadata: {name: s1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
type: Opaque
data: {a: "aGk="}
stringData: {b: text}
immutable: false
`,
  filled: ['data.b = "dGV4dA=="', '-stringData'],
  create: [
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
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
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'metadata.labels.app = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
})
