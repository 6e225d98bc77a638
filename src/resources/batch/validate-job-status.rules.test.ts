import { ruleTables } from '../rule-table.contract.ts'
import { jobs } from './jobs.ts'

ruleTables(jobs, {
  object: `
metadata: {name: j}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}}
`,
  status: [
    ['status = {active: 1, ready: 2}', 'status.ready: Invalid value: 2: cannot set more ready pods than active'],
    [
      'status = {conditions: [{type: Complete, status: "True"}]}',
      'status.completionTime: Required value: completionTime is required for Complete jobs',
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      'status.startTime: Required value: startTime is required for finished job',
    ],
    [
      'status = {conditions: [{type: Failed, status: "True"}]}',
      'status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition',
      'status.startTime: Required value: startTime is required for finished job',
    ],
    [
      'status = {conditions: [{type: Complete, status: "True"}, {type: SuccessCriteriaMet, status: "True"}], startTime: "2026-02-01T00:00:00Z", completionTime: "2026-01-01T00:00:00Z"}',
      'status.completionTime: Invalid value: "2026-01-01T00:00:00Z": must be equal to or after `startTime`',
    ],
    [
      'status = {conditions: [{type: Failed, status: "True"}, {type: FailureTarget, status: "True"}, {type: Complete, status: "True"}, {type: SuccessCriteriaMet, status: "True"}], startTime: "2026-01-01T00:00:00Z", completionTime: "2026-02-01T00:00:00Z", active: 1, terminating: 1, uncountedTerminatedPods: {succeeded: [a]}}',
      'status.conditions: Invalid value: cannot set Complete=True and Failed=true conditions',
      'status.conditions: Invalid value: cannot set Complete=True and FailureTarget=true conditions',
      'status.active: Invalid value: 1: active>0 is invalid for finished job',
      'status.uncountedTerminatedPods: Invalid value: {"Succeeded":["a"],"Failed":null}: must be empty for finished job',
      'status.terminating: Invalid value: 1: terminating>0 is invalid for finished job',
      'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and Failed=true conditions',
      'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
    ],
    [
      'status = {uncountedTerminatedPods: {succeeded: [a, a, ""], failed: [a, b]}}',
      'status.uncountedTerminatedPods.succeeded[1]: Duplicate value: "a"',
      'status.uncountedTerminatedPods.succeeded[2]: Invalid value: "": must not be empty',
      'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
    ],
    [
      'status = {completedIndexes: "1", failedIndexes: "1"}',
      'status.completedIndexes: Invalid value: "1": error parsing completedIndexes: too large index: "1"',
      'status.completedIndexes: Invalid value: "1": cannot set non-empty completedIndexes when non-indexed completion mode',
      'status.failedIndexes: Invalid value: "1": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
    ],
    [
      'status = {conditions: [{type: SuccessCriteriaMet, status: "True"}], failed: 3, succeeded: 2, startTime: "2026-01-01T00:00:00Z"} -> status = {failed: 1, succeeded: 1, startTime: "2026-02-01T00:00:00Z"}',
      'status.failed: Invalid value: 1: cannot decrease the failed counter',
      'status.succeeded: Invalid value: 1: cannot decrease the succeeded counter',
      'status.startTime: Invalid value: "2026-02-01T00:00:00Z": field is immutable for unsuspended job once set',
      'status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition',
    ],
    [
      'status = {conditions: [{type: FailureTarget, status: "True"}, {type: Failed, status: "True"}], startTime: "2026-01-01T00:00:00Z"} -> -status.conditions[0]',
      'status.conditions: Invalid value: cannot disable the terminal FailureTarget=True condition',
    ],
    [
      'status = {conditions: [{type: FailureTarget, status: "True"}, {type: Failed, status: "True"}], startTime: "2026-01-01T00:00:00Z"} -> status = {startTime: "2026-01-01T00:00:00Z"}',
      'status.conditions: Invalid value: cannot disable the terminal Failed=True condition',
      'status.conditions: Invalid value: cannot disable the terminal FailureTarget=True condition',
    ],
    [
      'status = {conditions: [{type: Complete, status: "True"}, {type: SuccessCriteriaMet, status: "True"}], startTime: "2026-01-01T00:00:00Z", completionTime: "2026-01-01T00:00:00Z"} -> status.completionTime = "2026-02-01T00:00:00Z"',
      'status.completionTime: Invalid value: "2026-02-01T00:00:00Z": field is immutable',
    ],
    [
      'status = {startTime: "2026-01-01T00:00:00Z"} -> spec.suspend = true && -status.startTime',
      'status.startTime: Invalid value: null: field is immutable for unsuspended job once set',
    ],
  ],
})

ruleTables(jobs, {
  object: `
metadata: {name: j}
spec:
  completionMode: Indexed
  completions: 5
  parallelism: 5
  backoffLimitPerIndex: 1
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}
`,
  status: [
    ['status = {completedIndexes: "1,3-4"}', 'status.completedIndexes = "1,3-4"'],
    [
      'status = {completedIndexes: "3,1"}',
      'status.completedIndexes: Invalid value: "3,1": error parsing completedIndexes: non-increasing order, previous: 3, current: 1',
    ],
    [
      'status = {completedIndexes: "1-7"}',
      'status.completedIndexes: Invalid value: "1-7": error parsing completedIndexes: too large index: "7"',
    ],
    [
      'status = {failedIndexes: "1-3", completedIndexes: "0,2"}',
      'status.failedIndexes: Invalid value: "1-3": failedIndexes and completedIndexes overlap at index: 2',
    ],
    ['status = {failedIndexes: "1,3", completedIndexes: "0,2,4"}', 'status.completedIndexes = "0,2,4"', 'status.failedIndexes = "1,3"'],
    ['status = {succeeded: 2} -> status = {succeeded: 1}', 'status.succeeded = 1'],
  ],
})
