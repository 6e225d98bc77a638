import { definitionOf, ruleTables } from '../rule-table.contract.ts'
import { rbacResources } from './group.ts'

ruleTables(definitionOf(rbacResources, 'clusterroles'), {
  object: `
metadata: {name: ns-a}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}
`,
  filled: ['rules = null'],
  create: [
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    [
      '-aggregationRule.clusterRoleSelectors',
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ],
  ],
  update: [
    [
      '-aggregationRule.clusterRoleSelectors',
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ],
    [
      'aggregationRule.clusterRoleSelectors[0].matchLabels[Bad Key!] = x',
      `aggregationRule.clusterRoleSelectors[0].matchLabels: Invalid value: "Bad Key!": name part must c…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
    ],
    [
      'aggregationRule.clusterRoleSelectors[0].matchLabels.key = "a b!"',
      `aggregationRule.clusterRoleSelectors[0].matchLabels: Invalid value: "a b!": a valid label must b…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
    ],
    [
      'aggregationRule.clusterRoleSelectors[0].matchLabels.a = a × 300',
      'aggregationRule.clusterRoleSelectors[0].matchLabels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
      'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
    ],
  ],
})

ruleTables(definitionOf(rbacResources, 'clusterroles'), {
  object: `
metadata: {name: "ns:x"}
rules:
  - {nonResourceURLs: [/healthz, "/x/*"], verbs: [get]}
  - {apiGroups: ["*"], resources: ["*"], verbs: ["*"]}
`,
  create: [
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['-rules[0].verbs', 'rules[0].verbs: Required value: verbs must contain at least one value'],
    [
      '-rules[0].nonResourceURLs',
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ],
    [
      'rules = [null, {nonResourceURLs: [/healthz, "/x/*"], verbs: [get]}, {apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]',
      'rules[0].verbs: Required value: verbs must contain at least one value',
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ],
  ],
  update: [
    ['-rules[1].verbs', 'rules[1].verbs: Required value: verbs must contain at least one value'],
    ['-rules[1].resources', 'rules[1].resources: Required value: resource rules must supply at least one resource'],
    ['-rules[1].apiGroups', 'rules[1].apiGroups: Required value: resource rules must supply at least one api group'],
  ],
})
