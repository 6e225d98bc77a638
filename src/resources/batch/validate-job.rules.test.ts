import { ruleTables } from '../rule-table.contract.ts'
import { jobs } from './jobs.ts'

ruleTables(jobs, {
  object: `
metadata: {name: j, uid: u}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "app:1"}]}}}
`,
  create: [
    ['spec.parallelism = -1', 'spec.parallelism: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.completions = -1', 'spec.completions: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.backoffLimit = -1', 'spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.activeDeadlineSeconds = -1', 'spec.activeDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.ttlSecondsAfterFinished = -1', 'spec.ttlSecondsAfterFinished: Invalid value: -1: must be greater than or equal to 0'],
    [
      'spec.maxFailedIndexes = -1',
      'spec.maxFailedIndexes: Invalid value: -1: must be greater than or equal to 0',
      'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
      'spec.maxFailedIndexes: Invalid value: -1: requires indexed completion mode',
    ],
    [
      'spec.backoffLimitPerIndex = -1',
      'spec.backoffLimitPerIndex: Invalid value: -1: must be greater than or equal to 0',
      'spec.backoffLimitPerIndex: Invalid value: -1: requires indexed completion mode',
    ],
    ['spec.parallelism = 0 && spec.completions = 0'],
    ['spec.completionMode = Odd', 'spec.completionMode: Unsupported value: "Odd": supported values: "NonIndexed", "Indexed"'],
    ['spec.completionMode = Indexed'],
    ['spec.completionMode = Indexed && spec.completions = 4'],
    ['spec.backoffLimitPerIndex = 1', 'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
    [
      'spec.maxFailedIndexes = 1',
      'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
      'spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.backoffLimitPerIndex = 1 && spec.maxFailedIndexes = 4',
      'spec.backoffLimit = 2147483647',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.backoffLimitPerIndex = 1 && spec.maxFailedIndexes = 5',
      'spec.maxFailedIndexes: Invalid value: 5: must be less than or equal to completions',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.maxFailedIndexes = 1',
      'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
    ],
    ['spec.completionMode = Indexed && spec.completions = 4 && spec.parallelism = 100000'],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.parallelism = 100001',
      'spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 100000 && spec.backoffLimitPerIndex = 1 && spec.parallelism = 100000',
      'spec.backoffLimit = 2147483647',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 100001 && spec.backoffLimitPerIndex = 1',
      'spec.maxFailedIndexes: Required value: must be specified when completions is above 100000',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 100001 && spec.backoffLimitPerIndex = 1 && spec.maxFailedIndexes = 10000 && spec.parallelism = 10000',
      'spec.backoffLimit = 2147483647',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 100001 && spec.backoffLimitPerIndex = 1 && spec.maxFailedIndexes = 10001 && spec.parallelism = 10001',
      'spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
      'spec.maxFailedIndexes: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 200000 && spec.backoffLimitPerIndex = 1 && spec.maxFailedIndexes = 100001',
      'spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 100000',
      'spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
    ],
    ['spec.completionMode = Indexed && spec.completions = 100001'],
    ['spec.template.spec.restartPolicy = Always', 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ['spec.template.spec.restartPolicy = OnFailure'],
    [
      'spec.template.spec.restartPolicy = Odd',
      'spec.template.spec.restartPolicy: Unsupported value: "Odd": supported values: "Always", "OnFailure", "Never"',
      'spec.template.spec.restartPolicy: Unsupported value: "Odd": supported values: "OnFailure", "Never"',
    ],
    ['spec.podReplacementPolicy = Failed'],
    [
      'spec.podReplacementPolicy = Odd',
      'spec.podReplacementPolicy: Unsupported value: "Odd": supported values: "Failed", "TerminatingOrFailed"',
    ],
    ['spec.managedBy = a.b/c'],
    ['spec.managedBy = a', 'spec.managedBy: Invalid value: "a": must be a domain-prefixed path (such as "acme.io/foo")'],
    [
      'spec.managedBy = "a b/c"',
      `spec.managedBy: Invalid value: "a b": a lowercase RFC 1123 subdomain must consist of lower case alph…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.managedBy = a.b/cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc',
      'spec.managedBy: Too long: may not be more than 63 bytes',
    ],
    ['spec.podFailurePolicy = {rules: []}', 'spec.podReplacementPolicy = Failed', 'spec.podFailurePolicy.rules = null'],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob, onExitCodes: {operator: In, values: [1]}}]}',
      'spec.podReplacementPolicy = Failed',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob, onExitCodes: {operator: In, values: [1]}}]} && spec.podReplacementPolicy = TerminatingOrFailed',
      'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob, onExitCodes: {operator: In, values: [1]}}]} && spec.template.spec.restartPolicy = OnFailure',
      'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
    ],
    [
      'spec.podFailurePolicy = {rules: [{onExitCodes: {operator: In, values: [1]}}]}',
      'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: Odd, onExitCodes: {operator: In, values: [1]}}]}',
      'spec.podFailurePolicy.rules[0].action: Unsupported value: "Odd": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailIndex, onExitCodes: {operator: In, values: [1]}}]}',
      'spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob}]}',
      'spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob, onExitCodes: {operator: In, values: [1]}, onPodConditions: [{type: A, status: "True"}]}]}',
      'spec.podFailurePolicy.rules[0]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob, onExitCodes: {values: [1]}}]}',
      'spec.podFailurePolicy.rules[0].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob, onExitCodes: {operator: Odd, values: [1]}}]}',
      'spec.podFailurePolicy.rules[0].onExitCodes.operator: Unsupported value: "Odd": supported values: "In", "NotIn"',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob, onExitCodes: {operator: In, values: []}}]}',
      'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []: at least one value is required',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob, onExitCodes: {operator: In, values: [0]}}]}',
      'spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob, onExitCodes: {operator: NotIn, values: [0]}}]}',
      'spec.podReplacementPolicy = Failed',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob, onExitCodes: {operator: In, values: [2, 1]}}]}',
      'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1]: must be ordered',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob, onExitCodes: {operator: In, values: [1, 1]}}]}',
      'spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Duplicate value: 1',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob, onExitCodes: {containerName: main, operator: In, values: [1]}}]}',
      'spec.podReplacementPolicy = Failed',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob, onExitCodes: {containerName: other, operator: In, values: [1]}}]}',
      'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "other": must be one of the container or initContainer names in the pod template',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: Ignore, onPodConditions: [{type: A, status: "True"}]}]}',
      'spec.podReplacementPolicy = Failed',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: Ignore, onPodConditions: [{type: A}]}]}',
      'spec.podReplacementPolicy = Failed',
      'spec.podFailurePolicy.rules[0].onPodConditions[0].status = "True"',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: Ignore, onPodConditions: [{type: "a b", status: "True"}]}]}',
      `spec.podFailurePolicy.rules[0].onPodConditions[0].type: Invalid value: "a b": name part must consist…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: Ignore, onPodConditions: [{type: A, status: Odd}]}]}',
      'spec.podFailurePolicy.rules[0].onPodConditions[0].status: Unsupported value: "Odd": supported values: "False", "True", "Unknown"',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob, onExitCodes: {operator: In, values: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255]}}]}',
      'spec.podReplacementPolicy = Failed',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: FailJob, onExitCodes: {operator: In, values: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255, 256]}}]}',
      'spec.podFailurePolicy.rules[0].onExitCodes.values: Too many: 256: must have at most 255 items',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}]}',
      'spec.podReplacementPolicy = Failed',
    ],
    [
      'spec.podFailurePolicy = {rules: [{action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}, {action: Count, onPodConditions: [{type: A, status: "True"}]}]}',
      'spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.backoffLimitPerIndex = 1 && spec.podFailurePolicy = {rules: [{action: FailIndex, onExitCodes: {operator: In, values: [1]}}]}',
      'spec.backoffLimit = 2147483647',
      'spec.podReplacementPolicy = Failed',
    ],
    [
      'spec.successPolicy = {rules: [{succeededCount: 1}]}',
      'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode',
    ],
    ['spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: [{succeededCount: 1}]}'],
    ['spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: [{succeededCount: 0}]}'],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: [{succeededCount: 5}]}',
      'spec.successPolicy.rules[0].succeededCount: Invalid value: 5: must be less than or equal to 4 (the number of specified completions)',
    ],
    ['spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: [{succeededCount: 4}]}'],
    ['spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: [{succeededIndexes: "0-3"}]}'],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: [{succeededIndexes: "0-4"}]}',
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0-4": error parsing succeededIndexes: too large index: "4"',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: [{succeededIndexes: "3-1"}]}',
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "3-1": error parsing succeededIndexes: non-increasing order, previous: 3, current: 1',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: [{succeededIndexes: "a"}]}',
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "a": error parsing succeededIndexes: cannot convert string to integer for index: "a"',
    ],
    ['spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: [{succeededIndexes: "0,2"}]}'],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: [{succeededIndexes: "0,0"}]}',
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0,0": error parsing succeededIndexes: non-increasing order, previous: 0, current: 0',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: [{succeededIndexes: "0-1", succeededCount: 3}]}',
      'spec.successPolicy.rules[0].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: [{succeededIndexes: "0-1", succeededCount: 2}]}',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: [{}]}',
      'spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: []}',
      'spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: [{succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}]}',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.successPolicy = {rules: [{succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}, {succeededCount: 1}]}',
      'spec.successPolicy.rules: Too many: 21: must have at most 20 items',
    ],
  ],
})

ruleTables(jobs, {
  object: `
metadata: {name: j}
spec: {manualSelector: true, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {restartPolicy: Never, containers: [{name: main, image: "app:1"}]}}}
`,
  update: [
    ['spec.parallelism = 5', 'spec.completions: Invalid value: null: field is immutable'],
    ['spec.completions = 5', 'spec.completions: Invalid value: 5: field is immutable'],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.parallelism = 4 -> spec.completions = 6 && spec.parallelism = 6',
      'spec.parallelism = 6',
      'spec.completions = 6',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.parallelism = 4 -> spec.completions = 6',
      'spec.completions: Invalid value: 6: can only be modified in tandem with spec.parallelism',
    ],
    [
      'spec.completionMode = Indexed && spec.completions = 4 && spec.parallelism = 2 -> spec.completions = 6 && spec.parallelism = 6',
      'spec.parallelism = 6',
      'spec.completions = 6',
    ],
    ['spec.completionMode = Indexed && spec.completions = 1', 'spec.completionMode: Invalid value: "Indexed": field is immutable'],
    ['spec.backoffLimit = 3', 'spec.backoffLimit = 3'],
    [
      'spec.template.spec.containers[0].image = other',
      'spec.template: Invalid value: {"labels":{"a":"b"},"Spec":{"Volumes":null,"InitContainers":null,"Cont…eOverride":null,"SchedulingGroup":null}}: field is immutable',
    ],
    ['spec.suspend = true -> spec.template.spec.nodeSelector = {a: b}', 'spec.template.spec.nodeSelector = {a: b}'],
    ['spec.suspend = true -> spec.template.metadata.labels.x = z', 'metadata.labels.x = z', 'spec.template.metadata.labels.x = z'],
    [
      'spec.template.spec.nodeSelector = {a: b}',
      'spec.template: Invalid value: {"labels":{"a":"b"},"Spec":{"Volumes":null,"InitContainers":null,"Cont…eOverride":null,"SchedulingGroup":null}}: field is immutable',
    ],
    ['spec.suspend = true', 'spec.suspend = true'],
    ['spec.managedBy = a.b/c', 'spec.managedBy: Invalid value: "a.b/c": field is immutable'],
    ['spec.podReplacementPolicy = Failed', 'spec.podReplacementPolicy = Failed'],
    ['spec.ttlSecondsAfterFinished = 5', 'spec.ttlSecondsAfterFinished = 5'],
    ['spec.activeDeadlineSeconds = 5', 'spec.activeDeadlineSeconds = 5'],
    [
      'spec.selector.matchLabels.c = d',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable',
    ],
  ],
})
