import { ruleTables } from '../rule-table.contract.ts'
import { flowSchemas } from './flowschemas.ts'

ruleTables(flowSchemas, {
  object: `
metadata: {name: default}
spec:
  priorityLevelConfiguration: {name: exempt}
  matchingPrecedence: 500
  distinguisherMethod: {type: ByUser}
  rules:
    - subjects:
        - {kind: User, user: {name: u}}
        - {kind: ServiceAccount, serviceAccount: {name: s, namespace: "n"}}
      resourceRules:
        - {verbs: [get], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"]}
      nonResourceRules: [{verbs: ["*"], nonResourceURLs: [/x]}]
`,
  filled: ['status = {}'],
  create: [
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['-spec.rules[0].subjects[0].user.name', 'spec.rules[0].subjects[0].user.name: Required value'],
    [
      'spec.rules[0].subjects[1].user.name = u && -spec.rules[0].subjects[1].serviceAccount.name',
      'spec.rules[0].subjects[1].serviceAccount.name: Required value',
      "spec.rules[0].subjects[1].user: Forbidden: user is forbidden when subject kind is not 'User'",
    ],
    ['-spec', 'spec.priorityLevelConfiguration.name: Required value: must reference a priority level'],
    ['spec.matchingPrecedence = -1', 'spec.matchingPrecedence: Invalid value: -1: must be a positive value'],
    ['-spec.rules[0].subjects', 'spec.rules[0].subjects: Required value: subjects must contain at least one value'],
    ['-spec.rules[0].subjects[1].serviceAccount.name', 'spec.rules[0].subjects[1].serviceAccount.name: Required value'],
    ['-spec.rules[0].subjects[0].user', "spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'"],
    [
      'spec.rules[0].resourceRules[0].verbs = []',
      'spec.rules[0].resourceRules[0].verbs: Required value: verbs must contain at least one value',
    ],
    [
      '-spec.rules[0].subjects[0].kind',
      'spec.rules[0].subjects[0].kind: Unsupported value: "": supported values: "Group", "ServiceAccount", "User"',
    ],
    [
      '-spec.rules[0].resourceRules[0].resources',
      'spec.rules[0].resourceRules[0].resources: Required value: resource rules must supply at least one resource',
    ],
    [
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[0] = ""',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "": must not be empty',
    ],
    [
      '-spec.rules[0].resourceRules[0].apiGroups',
      'spec.rules[0].resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group',
    ],
    [
      '-spec.rules[0].subjects[1].serviceAccount.namespace',
      'spec.rules[0].subjects[1].serviceAccount.namespace: Required value: must specify namespace for service account',
    ],
    [
      '-spec.rules[0].subjects[1].serviceAccount',
      "spec.rules[0].subjects[1].serviceAccount: Required value: serviceAccount is required when subject kind is 'ServiceAccount'",
    ],
    [
      '-spec.rules[0].nonResourceRules[0].nonResourceURLs',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs: Required value: nonResourceURLs must contain at least one value',
    ],
    [
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[0] = "Bad_Name!"',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "Bad_Name!": must start with slash',
    ],
    [
      'spec.rules[0].resourceRules[0].resources = ["*", "*"]',
      `spec.rules[0].resourceRules[0].resources: Invalid value: ["*","*"]: if '*' is present, must not specify other resources`,
    ],
    [
      'spec.rules[0].resourceRules[0].apiGroups = ["*", "*"]',
      `spec.rules[0].resourceRules[0].apiGroups: Invalid value: ["*","*"]: if '*' is present, must not specify other api groups`,
    ],
    [
      'spec.rules[0] = null',
      'spec.rules[0].subjects: Required value: subjects must contain at least one value',
      'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
    ],
    [
      'spec.rules[0].resourceRules[0].verbs[0] = ""',
      'spec.rules[0].resourceRules[0].verbs: Unsupported value: [""]: supported values: "create", "dele…, "proxy", "update", "watch"',
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.rules[0].subjects[1].serviceAccount.namespace = "Bad_Name!"',
      `spec.rules[0].subjects[1].serviceAccount.namespace: Invalid value: "Bad_Name!": a lowercase RFC …z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.priorityLevelConfiguration.name = "Bad_Name!"',
      `spec.priorityLevelConfiguration.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.rules[0].subjects[1].serviceAccount.name = "Bad_Name!"',
      `spec.rules[0].subjects[1].serviceAccount.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.priorityLevelConfiguration.name = a × 300',
      'spec.priorityLevelConfiguration.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.rules[0].subjects[1].serviceAccount.name = a × 300',
      'spec.rules[0].subjects[1].serviceAccount.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.rules[0].subjects[1].serviceAccount.namespace = a × 300',
      'spec.rules[0].subjects[1].serviceAccount.namespace: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
  ],
  update: [
    [
      '-spec.rules[0].resourceRules[0].verbs',
      'spec.rules[0].resourceRules[0].verbs: Required value: verbs must contain at least one value',
    ],
    [
      '-spec.rules[0].resourceRules[0].apiGroups',
      'spec.rules[0].resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group',
    ],
    [
      'spec.rules[0].resourceRules[0].resources = []',
      'spec.rules[0].resourceRules[0].resources: Required value: resource rules must supply at least one resource',
    ],
    [
      'spec.rules[0].resourceRules[0].apiGroups = [null, "*"]',
      `spec.rules[0].resourceRules[0].apiGroups: Invalid value: ["","*"]: if '*' is present, must not specify other api groups`,
    ],
    [
      'spec.rules[0].resourceRules[0].namespaces = ["*", "*"]',
      `spec.rules[0].resourceRules[0].namespaces: Invalid value: ["*","*"]: if '*' is present, must not specify other namespaces`,
    ],
    [
      'spec.rules[0].resourceRules[0].verbs[0] = null',
      'spec.rules[0].resourceRules[0].verbs: Unsupported value: [""]: supported values: "create", "dele…, "proxy", "update", "watch"',
    ],
    [
      'spec.rules[0].resourceRules[0].namespaces[0] = "Bad_Name!"',
      `spec.rules[0].resourceRules[0].namespaces[0]: Invalid value: "Bad_Name!": each member of this li…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.rules[0].subjects[1].serviceAccount.namespace = a × 300',
      'spec.rules[0].subjects[1].serviceAccount.namespace: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'spec.rules[0].resourceRules[0] = null',
      'spec.rules[0].resourceRules[0].verbs: Required value: verbs must contain at least one value',
      'spec.rules[0].resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'spec.rules[0].resourceRules[0].resources: Required value: resource rules must supply at least one resource',
      'spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster s…upply at least one namespace',
    ],
    [
      'spec.rules[0].resourceRules[0].namespaces[0] = a × 300',
      'spec.rules[0].resourceRules[0].namespaces[0]: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
  ],
})
