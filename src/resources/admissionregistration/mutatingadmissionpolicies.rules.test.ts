import { definitionOf, ruleTables } from '../rule-table.contract.ts'
import { admissionRegistrationResources } from './group.ts'

ruleTables(definitionOf(admissionRegistrationResources, 'mutatingadmissionpolicies'), {
  object: `
metadata: {name: default}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
  failurePolicy: Ignore
  reinvocationPolicy: Never
  mutations:
    - patchType: ApplyConfiguration
      applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {\\"a\\": \\"b\\"}}}"}
    - patchType: JSONPatch
      jsonPatch: {expression: "[JSONPatch{op: \\"add\\", path: \\"/metadata/labels/x\\", value: \\"y\\"}]"}
`,
  filled: [
    'spec.matchConstraints.resourceRules[0].scope = "*"',
    'spec.matchConstraints.matchPolicy = Equivalent',
    'spec.matchConstraints.namespaceSelector = {}',
    'spec.matchConstraints.objectSelector = {}',
  ],
  create: [
    ['-spec.matchConstraints', 'spec.matchConstraints: Required value'],
    ['spec.mutations[0] = null', 'spec.mutations[0].patchType: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['-spec.matchConstraints.resourceRules', 'spec.matchConstraints.resourceRules: Required value'],
    ['spec.mutations = []', 'spec.mutations: Required value: mutations must contain at least one item'],
    ['-spec.mutations[1].jsonPatch.expression', 'spec.mutations[1].jsonPatch.expression: Required value'],
    ['-spec.matchConstraints.resourceRules[0].apiGroups', 'spec.matchConstraints.resourceRules[0].apiGroups: Required value'],
    ['-spec.matchConstraints.resourceRules[0].apiVersions', 'spec.matchConstraints.resourceRules[0].apiVersions: Required value'],
    ['-spec.mutations[1].jsonPatch', 'spec.mutations[1].jsonPatch: Required value: must be specified when patchType is JSONPatch'],
    [
      'spec.mutations[0].patchType = "Bad_Name!"',
      'spec.mutations[0].patchType: Unsupported value: "Bad_Name!": supported values: "ApplyConfiguration", "JSONPatch"',
    ],
    [
      '-spec',
      'spec.matchConstraints: Required value',
      'spec.mutations: Required value: mutations must contain at least one item',
      'spec.reinvocationPolicy: Required value',
    ],
    [
      'spec.mutations[1].jsonPatch.expression = variables.r && -spec.variables',
      'spec.mutations[1].jsonPatch.expression: Invalid value: "variables.r": compilation failed: ERROR: <…undefined field \'r\'\n | variables.r\n | .........^',
    ],
    [
      'spec.mutations[1].jsonPatch.expression = "Bad_Name!"',
      'spec.mutations[1].jsonPatch.expression: Invalid value: "Bad_Name!": compilation failed: ERROR: <…F>\n | Bad_Name!\n | ........^',
    ],
    [
      'spec.matchConstraints.resourceRules[0] = null',
      'spec.matchConstraints.resourceRules[0].operations: Required value',
      'spec.matchConstraints.resourceRules[0].apiGroups: Required value',
      'spec.matchConstraints.resourceRules[0].apiVersions: Required value',
      'spec.matchConstraints.resourceRules[0].resources: Required value',
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.mutations[1].jsonPatch.expression = "[JSONPatch{op: \\"add\\", path: \\"/metadata/labels/x\\", value: \\"y\\"}]x"',
      'spec.mutations[1].jsonPatch.expression: Invalid value: "[JSONPatch{op: \\"add\\", path: \\"/metadat…...........................^',
    ],
  ],
})
