import { ruleTables } from '../rule-table.contract.ts'
import { events } from './group.ts'

ruleTables(events, {
  object: `
metadata: {name: e2}
eventTime: "2026-01-01T00:00:00.000000Z"
reportingController: example.com/c
reportingInstance: i
action: Run
reason: R
regarding: {kind: Pod, namespace: default, name: p}
related: {kind: Node, name: "n"}
note: "n"
type: Warning
series: {count: 3, lastObservedTime: "2026-01-01T00:00:00.000000Z"}
`,
  filled: ['deprecatedSource = {}', 'deprecatedFirstTimestamp = null', 'deprecatedLastTimestamp = null'],
  create: [['-eventTime', 'eventTime: Required value']],
  update: [['-eventTime', 'eventTime: Invalid value: null: field is immutable']],
})
