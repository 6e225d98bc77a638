import { ruleTables } from '../rule-table.contract.ts'
import { limitRanges } from './limitranges.ts'

ruleTables(limitRanges, {
  object: `
metadata: {name: l}
spec: {limits: []}
`,
  filled: ['spec.limits = null'],
  create: [
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

ruleTables(limitRanges, {
  object: `
metadata: {name: l1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  limits:
    - type: Container
      min: {cpu: "1m"}
      max: {cpu: "2", memory: "2Gi"}
      default: {cpu: "1"}
      defaultRequest: {cpu: "100m"}
      maxLimitRequestRatio: {cpu: "10"}
    - {type: Pod, max: {cpu: "4"}}
    - {type: PersistentVolumeClaim, min: {storage: "1Gi"}, max: {storage: "10Gi"}}
`,
  filled: ['spec.limits[0].default.memory = "2Gi"', 'spec.limits[0].defaultRequest.memory = "2Gi"'],
  create: [
    [
      'spec.limits[0].type = Containerx',
      'spec.limits[0].type: Invalid value: "Containerx": must be a standard limit type or fully qualified',
    ],
    [
      'spec.limits[0].maxLimitRequestRatio.cpu = null',
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "0": ratio 0 is less than 1',
    ],
    [
      'spec.limits[0].maxLimitRequestRatio.cpu = 0.5',
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1',
    ],
    [
      'spec.limits[0].defaultRequest.cpu = "1500m"',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "1500m": default request value 1500m is greater than default limit value 1',
    ],
    [
      'spec.limits[0].maxLimitRequestRatio.cpu = "100Ei"',
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "9223372036854775807": ratio 9223372036…ater than max/min = 2.000000',
    ],
    [
      'spec.limits[0].defaultRequest.cpu = 3',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "3": default request value 3 is greater than max value 2',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "3": default request value 3 is greater than default limit value 1',
    ],
    [
      'spec.limits[0].defaultRequest.nonsense = 1',
      'spec.limits[0].defaultRequest[nonsense]: Invalid value: "nonsense": must be a standard resource type or fully qualified',
      'spec.limits[0].defaultRequest[nonsense]: Invalid value: "nonsense": must be a standard resource for containers',
    ],
    [
      'spec.limits[0].defaultRequest.cpu = "1e3"',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "1e3": default request value 1e3 is greater than max value 2',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "1e3": default request value 1e3 is greater than default limit value 1',
    ],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.limits[0].type = "Bad_Name!"',
      `spec.limits[0].type: Invalid value: "Bad_Name!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      '-spec.limits[0].type',
      'spec.limits[0].type: Invalid value: "": name part must be non-empty',
      `spec.limits[0].type: Invalid value: "": name part must consist of alphanumeric characters, '-', …A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.limits[0].type = a × 300',
      'spec.limits[0].type: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    ['-spec.limits[0].maxLimitRequestRatio'],
  ],
  update: [
    [
      'spec.limits[0].type = Containerx',
      'spec.limits[0].type: Invalid value: "Containerx": must be a standard limit type or fully qualified',
    ],
    [
      'spec.limits[0].defaultRequest.cpu = null',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "0": min value 1m is greater than default request value 0',
    ],
    [
      'spec.limits[0].default.cpu = "-1"',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "100m": default request value 100m is greater than default limit value -1',
      'spec.limits[0].default[cpu]: Invalid value: "1m": min value 1m is greater than default value -1',
    ],
    [
      'spec.limits[0].defaultRequest.cpu = 7',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "7": default request value 7 is greater than max value 2',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "7": default request value 7 is greater than default limit value 1',
    ],
    [
      'spec.limits[0].defaultRequest.cpu = "1e3"',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "1e3": default request value 1e3 is greater than max value 2',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "1e3": default request value 1e3 is greater than default limit value 1',
    ],
    [
      'spec.limits[0].type = "Bad_Name!"',
      `spec.limits[0].type: Invalid value: "Bad_Name!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.limits[0].type = ""',
      'spec.limits[0].type: Invalid value: "": name part must be non-empty',
      `spec.limits[0].type: Invalid value: "": name part must consist of alphanumeric characters, '-', …A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.limits[0].type = a × 300',
      'spec.limits[0].type: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.limits[0].min.cpu = 3',
      'spec.limits[0].min[cpu]: Invalid value: "3": min value 3 is greater than max value 2',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "100m": min value 3 is greater than default request value 100m',
      'spec.limits[0].default[cpu]: Invalid value: "3": min value 3 is greater than default value 1',
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "10": ratio 10 is greater than max/min = 0.666667',
    ],
    [
      'spec.limits[0].max.cpu = "-1"',
      'spec.limits[0].min[cpu]: Invalid value: "1m": min value 1m is greater than max value -1',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "100m": default request value 100m is greater than max value -1',
      'spec.limits[0].default[cpu]: Invalid value: "-1": default value 1 is greater than max value -1',
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "10": ratio 10 is greater than max/min = -1000.000000',
    ],
    [
      'spec.limits[0].min.cpu = "1e3"',
      'spec.limits[0].min[cpu]: Invalid value: "1e3": min value 1e3 is greater than max value 2',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "100m": min value 1e3 is greater than default request value 100m',
      'spec.limits[0].default[cpu]: Invalid value: "1e3": min value 1e3 is greater than default value 1',
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "10": ratio 10 is greater than max/min = 0.002000',
    ],
    [
      'spec.limits[0].default.nonsense = 1',
      'spec.limits[0].default[nonsense]: Invalid value: "nonsense": must be a standard resource type or fully qualified',
      'spec.limits[0].default[nonsense]: Invalid value: "nonsense": must be a standard resource for containers',
      'spec.limits[0].defaultRequest[nonsense]: Invalid value: "nonsense": must be a standard resource type or fully qualified',
      'spec.limits[0].defaultRequest[nonsense]: Invalid value: "nonsense": must be a standard resource for containers',
    ],
  ],
})
