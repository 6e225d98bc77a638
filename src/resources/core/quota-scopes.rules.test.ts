import { ruleTables } from '../rule-table.contract.ts'
import { resourceQuotas } from './resourcequotas.ts'

ruleTables(resourceQuotas, {
  object: `
metadata: {name: q}
spec: {hard: {pods: 4}}
`,
  create: [
    [
      'spec.hard = {"a b": 1}',
      `spec.hard[a b]: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec.hard[a b]: Invalid value: "a b": must be a standard resource for quota',
    ],
    [
      'spec.hard = {bogus: 1}',
      'spec.hard[bogus]: Invalid value: "bogus": must be a standard resource type or fully qualified',
      'spec.hard[bogus]: Invalid value: "bogus": must be a standard resource for quota',
    ],
    ['spec.hard = {requests.a.b/gpu: 1}', 'spec.hard[requests.a.b/gpu] = "1"'],
    ['spec.hard = {count/deployments.apps: 1}', 'spec.hard[count/deployments.apps] = "1"'],
    ['spec.hard = {pods: -1}', 'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0'],
    ['spec.hard = {pods: 1500m}', 'spec.hard[pods]: Invalid value: "1500m": must be an integer'],
    ['spec.hard = {cpu: 1500m}'],
    ['spec.hard = {hugepages-2Mi: 1}', 'spec.hard.hugepages-2Mi = "1"'],
    ['spec.hard = {persistentvolumeclaims: 1500m}', 'spec.hard[persistentvolumeclaims]: Invalid value: "1500m": must be an integer'],
    ['spec.hard = {count/pods: 1500m}', 'spec.hard[count/pods]: Invalid value: "1500m": must be an integer'],
    ['spec.scopes = [Terminating]'],
    [
      'spec.hard = {cpu: 1, requests.storage: 1} && spec.scopes = [Terminating]',
      'spec.scopes: Invalid value: ["Terminating"]: unsupported scope applied to resource',
    ],
    ['spec.scopes = [NotTerminating]'],
    [
      'spec.hard = {cpu: 1, requests.storage: 1} && spec.scopes = [NotTerminating]',
      'spec.scopes: Invalid value: ["NotTerminating"]: unsupported scope applied to resource',
    ],
    ['spec.scopes = [BestEffort]'],
    [
      'spec.hard = {cpu: 1, requests.storage: 1} && spec.scopes = [BestEffort]',
      'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
    ],
    ['spec.scopes = [NotBestEffort]'],
    [
      'spec.hard = {cpu: 1, requests.storage: 1} && spec.scopes = [NotBestEffort]',
      'spec.scopes: Invalid value: ["NotBestEffort"]: unsupported scope applied to resource',
    ],
    ['spec.scopes = [PriorityClass]'],
    [
      'spec.hard = {cpu: 1, requests.storage: 1} && spec.scopes = [PriorityClass]',
      'spec.scopes: Invalid value: ["PriorityClass"]: unsupported scope applied to resource',
    ],
    ['spec.scopes = [CrossNamespacePodAffinity]'],
    [
      'spec.hard = {cpu: 1, requests.storage: 1} && spec.scopes = [CrossNamespacePodAffinity]',
      'spec.scopes: Invalid value: ["CrossNamespacePodAffinity"]: unsupported scope applied to resource',
    ],
    [
      'spec.scopes = [VolumeAttributesClass]',
      'spec.scopes: Invalid value: ["VolumeAttributesClass"]: unsupported scope applied to resource',
    ],
    [
      'spec.hard = {cpu: 1, requests.storage: 1} && spec.scopes = [VolumeAttributesClass]',
      'spec.scopes: Invalid value: ["VolumeAttributesClass"]: unsupported scope applied to resource',
    ],
    ['spec.scopes = [Odd]', 'spec.scopes: Invalid value: ["Odd"]: unsupported scope'],
    ['spec.hard = {cpu: 1, requests.storage: 1} && spec.scopes = [Odd]', 'spec.scopes: Invalid value: ["Odd"]: unsupported scope'],
    ['spec.scopes = [BestEffort, NotBestEffort]', 'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes'],
    ['spec.scopes = [Terminating, NotTerminating]', 'spec.scopes: Invalid value: ["Terminating","NotTerminating"]: conflicting scopes'],
    ['spec.scopes = [BestEffort, Terminating]'],
    ['spec.scopeSelector = {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [a]}]}'],
    [
      'spec.scopeSelector = {matchExpressions: [{scopeName: PriorityClass, operator: In}]}',
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ],
    [
      'spec.scopeSelector = {matchExpressions: [{scopeName: PriorityClass, operator: NotIn}]}',
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ],
    ['spec.scopeSelector = {matchExpressions: [{scopeName: PriorityClass, operator: Exists}]}'],
    [
      'spec.scopeSelector = {matchExpressions: [{scopeName: PriorityClass, operator: Exists, values: [a]}]}',
      "spec.scopeSelector.matchExpressions.values: Invalid value: [\"a\"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
    ],
    [
      'spec.scopeSelector = {matchExpressions: [{scopeName: PriorityClass, operator: DoesNotExist, values: [a]}]}',
      "spec.scopeSelector.matchExpressions.values: Invalid value: [\"a\"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
    ],
    [
      'spec.scopeSelector = {matchExpressions: [{scopeName: PriorityClass, operator: Like}]}',
      'spec.scopeSelector.matchExpressions.operator: Invalid value: "Like": not a valid selector operator',
    ],
    [
      'spec.scopeSelector = {matchExpressions: [{scopeName: Odd, operator: Exists}]}',
      'spec.scopeSelector.matchExpressions.scopeName: Invalid value: "Odd": unsupported scope',
    ],
    [
      'spec.scopeSelector = {matchExpressions: [{scopeName: BestEffort, operator: In, values: [a]}]}',
      `spec.scopeSelector.matchExpressions.operator: Invalid value: "In": must be 'Exists' when scope is any…NotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity`,
    ],
    [
      'spec.scopeSelector = {matchExpressions: [{scopeName: Terminating, operator: DoesNotExist}]}',
      `spec.scopeSelector.matchExpressions.operator: Invalid value: "DoesNotExist": must be 'Exists' when s…NotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity`,
    ],
    ['spec.scopeSelector = {matchExpressions: [{scopeName: CrossNamespacePodAffinity, operator: Exists}]}'],
    [
      'spec.scopeSelector = {matchExpressions: [{scopeName: VolumeAttributesClass, operator: Exists}]}',
      'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":"VolumeAttribu…sts","Values":null}]}: unsupported scope applied to resource',
    ],
    [
      'spec.scopeSelector = {matchExpressions: [{scopeName: BestEffort, operator: Exists}, {scopeName: NotBestEffort, operator: Exists}]}',
      'spec.scopeSelector.matchExpressions: Invalid value: null: conflicting scopes',
    ],
    [
      'spec.scopeSelector = {matchExpressions: [{scopeName: Terminating, operator: Exists}, {scopeName: NotTerminating, operator: Exists}]}',
      'spec.scopeSelector.matchExpressions: Invalid value: null: conflicting scopes',
    ],
  ],
  update: [
    ['spec.hard.pods = 5', 'spec.hard.pods = "5"'],
    ['spec.scopes = [BestEffort]', 'spec.scopes: Invalid value: ["BestEffort"]: field is immutable'],
    ['spec.scopes = [BestEffort] -> -spec.scopes', 'spec.scopes: Invalid value: null: field is immutable'],
    [
      'spec.scopes = [BestEffort, Terminating] -> spec.scopes = [Terminating, BestEffort]',
      'spec.scopes[0] = Terminating',
      'spec.scopes[1] = BestEffort',
    ],
    ['spec.scopes = [BestEffort] -> spec.scopes = [BestEffort, BestEffort]', 'spec.scopes = [BestEffort, BestEffort]'],
  ],
  status: [
    ['status = {hard: {pods: 4}, used: {pods: 1}}', 'status.hard = {pods: "4"}', 'status.used = {pods: "1"}'],
    [
      'status = {hard: {pods: -1}, used: {bogus: 1}}',
      'status.hard[pods]: Invalid value: "-1": must be greater than or equal to 0',
      'status.used[bogus]: Invalid value: "bogus": must be a standard resource type or fully qualified',
      'status.used[bogus]: Invalid value: "bogus": must be a standard resource for quota',
    ],
  ],
})
