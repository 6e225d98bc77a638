import { definitionOf, ruleTables } from '../rule-table.contract.ts'
import { resourceResources } from './group.ts'

ruleTables(definitionOf(resourceResources, 'resourceclaimtemplates'), {
  object: `
metadata: {name: t, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  metadata: {labels: {a: b}}
  spec: {devices: {requests: [{name: r, exactly: {deviceClassName: x.example.com}}]}}
`,
  filled: ['spec.spec.devices.requests[0].exactly.allocationMode = ExactCount', 'spec.spec.devices.requests[0].exactly.count = 1'],
  create: [
    ['spec.metadata.name = a', 'spec.metadata.name: Forbidden: cannot be set'],
    ['spec.metadata.deletionGracePeriodSeconds = 0', 'spec.metadata.deletionGracePeriodSeconds: Forbidden: cannot be set'],
    [
      '-spec.spec.devices.requests[0].exactly',
      'spec.spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required',
    ],
    [
      'spec.spec.devices.requests = [{name: r, exactly: {deviceClassName: x.example.com}}, {name: r, exactly: {deviceClassName: x.example.com}}]',
      'spec.spec.devices.requests[1]: Duplicate value: "r"',
    ],
    [
      'metadata.annotations[Bad Key!] = x',
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.metadata.labels[Bad Key!] = x',
      `spec.metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      '-spec.spec.devices.requests[0].name',
      `spec.spec.devices.requests[0].name: Invalid value: "": a lowercase RFC 1123 label must consist o…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.metadata.labels.key = "a b!"',
      `spec.metadata.labels: Invalid value: "a b!": a valid label must be an empty string or consist of…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.metadata.labels.a = a × 300',
      'spec.metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.spec.devices.requests[0].name = a × 300',
      'spec.spec.devices.requests[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    ['spec.spec.devices.requests = null'],
  ],
  update: [
    [
      '-spec.spec',
      'spec: Invalid value: {"labels":{"a":"b"},"Spec":{"Devices":{"Requests":null,"Constraints":null,"…:null}}}: field is immutable',
    ],
    [
      'spec.spec.devices.requests[0] = null',
      `spec.spec.devices.requests[0].name: Invalid value: "": a lowercase RFC 1123 label must consist o…z0-9]([-a-z0-9]*[a-z0-9])?')`,
      'spec.spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required',
      'spec: Invalid value: {"labels":{"a":"b"},"Spec":{"Devices":{"Requests":[{"Name":"","Exactly":nul…:null}}}: field is immutable',
    ],
    [
      'spec.metadata.labels[Bad Key!] = x',
      `spec.metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec: Invalid value: {"labels":{"Bad Key!":"x","a":"b"},"Spec":{"Devices":{"Requests":[{"Name":"…:null}}}: field is immutable',
    ],
    [
      'spec.metadata.labels.key = "a b!"',
      `spec.metadata.labels: Invalid value: "a b!": a valid label must be an empty string or consist of…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'spec: Invalid value: {"labels":{"a":"b","key":"a b!"},"Spec":{"Devices":{"Requests":[{"Name":"r"…:null}}}: field is immutable',
    ],
    [
      'spec.spec.devices.requests = [{name: r, exactly: {deviceClassName: x.example.com}}, {name: r, exactly: {deviceClassName: x.example.com}}]',
      'spec.spec.devices.requests[1]: Duplicate value: "r"',
      'spec: Invalid value: {"labels":{"a":"b"},"Spec":{"Devices":{"Requests":[{"Name":"r","Exactly":{"…:null}}}: field is immutable',
    ],
    ['metadata.labels[example.com/tier] = null', 'metadata.labels[example.com/tier] = ""'],
  ],
})
