import { ruleTables } from '../rule-table.contract.ts'
import { priorityLevels } from './prioritylevels.ts'

ruleTables(priorityLevels, {
  object: `
metadata: {name: default}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 5
    lendablePercent: 10
    borrowingLimitPercent: 20
    limitResponse: {type: Queue, queuing: {queues: 16, handSize: 4, queueLengthLimit: 10}}
`,
  filled: ['status = {}'],
  create: [
    ['-spec', 'spec.type: Required value'],
    [
      'spec.limited.lendablePercent = -1 && -spec.limited.limitResponse',
      'spec.limited.limitResponse.type: Required value',
      'spec.limited.lendablePercent: Invalid value: -1: must be between 0 and 100, inclusive',
    ],
    ['-spec.limited.limitResponse', 'spec.limited.limitResponse.type: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['-spec.limited', 'spec.limited: Required value: must not be empty when type is Limited'],
    ['spec.type = Limitedx', 'spec.type: Unsupported value: "Limitedx": supported values: "Exempt", "Limited"'],
    ['spec.limited.lendablePercent = -1', 'spec.limited.lendablePercent: Invalid value: -1: must be between 0 and 100, inclusive'],
    [
      'spec.limited.limitResponse.queuing.handSize = -1',
      'spec.limited.limitResponse.queuing.handSize: Invalid value: -1: must be positive',
    ],
    [
      'spec.limited.nominalConcurrencyShares = -1',
      'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
    ],
    [
      'spec.limited.limitResponse.type = Queuex',
      'spec.limited.limitResponse.type: Unsupported value: "Queuex": supported values: "Queue", "Reject"',
    ],
    [
      'spec.limited.borrowingLimitPercent = -1',
      'spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer',
    ],
    [
      'spec.limited.limitResponse.queuing.queueLengthLimit = -1',
      'spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive',
    ],
    [
      '-spec.limited.limitResponse.queuing',
      'spec.limited.limitResponse.queuing: Required value: must not be empty if limited.limitResponse.type is Limited',
    ],
    [
      'spec.limited.limitResponse.queuing.handSize = 70000',
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 70000: should not be greater than queues (16)',
    ],
    [
      'spec.limited.limitResponse.queuing.queues = 70000',
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 4: required entropy bits of deckSize…hould not be greater than 60',
    ],
    [
      'spec.limited.limitResponse.queuing.queues = -1',
      'spec.limited.limitResponse.queuing.queues: Invalid value: -1: must be positive',
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 4: should not be greater than queues (-1)',
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
  ],
  update: [
    ['-spec', 'spec.type: Required value'],
    ['-spec.limited.limitResponse', 'spec.limited.limitResponse.type: Required value'],
    ['spec.limited.lendablePercent = -1', 'spec.limited.lendablePercent: Invalid value: -1: must be between 0 and 100, inclusive'],
    [
      'spec.limited.limitResponse.queuing.handSize = -1',
      'spec.limited.limitResponse.queuing.handSize: Invalid value: -1: must be positive',
    ],
    [
      'spec.limited.nominalConcurrencyShares = -1',
      'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
    ],
    [
      'spec.limited.limitResponse.type = Queuex',
      'spec.limited.limitResponse.type: Unsupported value: "Queuex": supported values: "Queue", "Reject"',
    ],
    [
      'spec.limited.borrowingLimitPercent = -1',
      'spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer',
    ],
    [
      'spec.limited.limitResponse.queuing.queueLengthLimit = -1',
      'spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive',
    ],
    [
      '-spec.limited.limitResponse.queuing',
      'spec.limited.limitResponse.queuing: Required value: must not be empty if limited.limitResponse.type is Limited',
    ],
    [
      'spec.limited.limitResponse.queuing.handSize = 70000',
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 70000: should not be greater than queues (16)',
    ],
    [
      'spec.limited.limitResponse.queuing.queues = 70000',
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 4: required entropy bits of deckSize…hould not be greater than 60',
    ],
    [
      'spec.limited.limitResponse.queuing.queues = -1',
      'spec.limited.limitResponse.queuing.queues: Invalid value: -1: must be positive',
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 4: should not be greater than queues (-1)',
    ],
  ],
})

ruleTables(priorityLevels, {
  object: `
metadata: {name: catch-all}
spec: {type: Limited, limited: {nominalConcurrencyShares: 5, limitResponse: {type: Reject}, lendablePercent: 0}}
`,
  create: [
    ['metadata.labels.a = b'],
    ['spec.limited.nominalConcurrencyShares = 6', `spec: Invalid value: {…}: spec of 'catch-all' must equal the fixed value`],
  ],
})

ruleTables(priorityLevels, {
  object: `
metadata: {name: exempt}
spec: {type: Exempt}
`,
  filled: ['status = {}'],
  create: [
    ['spec.exempt = {}', 'spec.exempt.nominalConcurrencyShares = 0', 'spec.exempt.lendablePercent = 0'],
    [
      'spec.type = Limitedx',
      `spec.type: Invalid value: "Limitedx": must be 'Exempt' if and only if \`name\` is 'exempt'`,
      'spec.type: Unsupported value: "Limitedx": supported values: "Exempt", "Limited"',
      `spec: Invalid value: {…}: spec of 'exempt' except the 'spec.exempt' field must equal the fixed value`,
    ],
  ],
})
