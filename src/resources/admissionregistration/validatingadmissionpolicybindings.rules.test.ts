import { definitionOf, ruleTables } from '../rule-table.contract.ts'
import { admissionRegistrationResources } from './group.ts'

ruleTables(definitionOf(admissionRegistrationResources, 'validatingadmissionpolicybindings'), {
  object: `
metadata: {name: default}
spec:
  policyName: nothing
  validationActions: [Deny, Audit]
  paramRef: {name: p, namespace: x, parameterNotFoundAction: Deny}
  matchResources: {namespaceSelector: {matchLabels: {app: web}}}
`,
  filled: ['spec.matchResources.matchPolicy = Equivalent', 'spec.matchResources.objectSelector = {}'],
  create: [
    ['-spec.policyName', 'spec.policyName: Required value'],
    ['-spec.paramRef.name', 'spec.paramRef: Required value: one of name or selector must be specified'],
    ['-spec.paramRef.parameterNotFoundAction', 'spec.paramRef.parameterNotFoundAction: Required value'],
    ['spec.validationActions = [Deny, Deny, Audit]', 'spec.validationActions[1]: Duplicate value: "Deny"'],
    ['-spec.validationActions', 'spec.validationActions: Required value: at least one validation action is required'],
    ['spec.validationActions[0] = ""', 'spec.validationActions[0]: Unsupported value: "": supported values: "Audit", "Deny", "Warn"'],
    [
      'spec.paramRef.parameterNotFoundAction = Denyx',
      'spec.paramRef.parameterNotFoundAction: Unsupported value: "Denyx": supported values: "Deny", "Allow"',
    ],
    [
      'spec.policyName = "Bad_Name!"',
      `spec.policyName: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lowe…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.matchResources.namespaceSelector.matchLabels[Bad Key!] = x',
      `spec.matchResources.namespaceSelector.matchLabels: Invalid value: "Bad Key!": name part must con…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.policyName = a × 300',
      'spec.policyName: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.matchResources.namespaceSelector.matchLabels.key = "a b!"',
      `spec.matchResources.namespaceSelector.matchLabels: Invalid value: "a b!": a valid label must be …Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.matchResources.namespaceSelector.matchLabels.app = a × 300',
      'spec.matchResources.namespaceSelector.matchLabels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
})
