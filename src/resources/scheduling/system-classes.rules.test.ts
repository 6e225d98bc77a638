import { ruleTables } from '../rule-table.contract.ts'
import { priorityClasses } from './priorityclasses.ts'

ruleTables(priorityClasses, {
  object: `
metadata: {name: high}
value: 5
`,
  filled: ['preemptionPolicy = PreemptLowerPriority'],
  create: [
    ['value = 1000000000'],
    ['value = 1000000001', 'value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
    ['value = -5'],
    [
      'metadata.name = system-mine',
      `metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class`,
    ],
    ['metadata.name = system-node-critical && value = 2000001000'],
    [
      'metadata.name = system-node-critical && value = 2000000000',
      `metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use onl…lue of system-node-critical PriorityClass must be 2000001000`,
    ],
    ['metadata.name = system-cluster-critical && value = 2000000000'],
    [
      'metadata.name = system-cluster-critical && value = 2000000000 && globalDefault = true',
      `metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use onl…fault of system-cluster-critical PriorityClass must be false`,
    ],
    ['globalDefault = true'],
    ['preemptionPolicy = Never'],
    ['preemptionPolicy = Odd', 'preemptionPolicy: Unsupported value: "Odd": supported values: "PreemptLowerPriority", "Never"'],
  ],
  update: [
    ['value = 6', 'value: Forbidden: may not be changed in an update.'],
    ['globalDefault = true', 'globalDefault = true'],
    ['preemptionPolicy = Never', 'preemptionPolicy: Invalid value: "Never": field is immutable'],
    ['description = d', 'description = d'],
  ],
})
