import { ruleTables } from '../rule-table.contract.ts'
import { priorityClasses } from './priorityclasses.ts'

ruleTables(priorityClasses, {
  object: `
metadata: {name: default}
value: 5
`,
  filled: ['preemptionPolicy = PreemptLowerPriority'],
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

ruleTables(priorityClasses, {
  object: `
metadata: {name: ns-r}
value: -10
preemptionPolicy: Never
description: d
globalDefault: false
`,
  filled: ['-globalDefault'],
  update: [
    ['-value -> value = 0'],
    ['-value -> value = 1', 'value: Forbidden: may not be changed in an update.'],
    ['value = 0 -> -value'],
    ['-value -> value = 0'],
    ['-value -> value = 1', 'value: Forbidden: may not be changed in an update.'],
    ['value = 0 -> -value'],
    ['-value', 'value: Forbidden: may not be changed in an update.'],
    ['preemptionPolicy = ""', 'preemptionPolicy: Invalid value: "": field is immutable'],
  ],
})
