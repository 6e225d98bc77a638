import { definitionOf, ruleTables } from '../rule-table.contract.ts'
import { admissionRegistrationResources } from './group.ts'

ruleTables(definitionOf(admissionRegistrationResources, 'validatingadmissionpolicies'), {
  object: `
metadata: {name: default}
spec:
  failurePolicy: Fail
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    matchPolicy: Equivalent
    resourceRules:
      - apiGroups: [apps]
        apiVersions: [v1]
        operations: [CREATE]
        resources: [deployments]
        resourceNames: [x]
    excludeResourceRules:
      - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [daemonsets]}
    namespaceSelector: {}
    objectSelector: {}
  matchConditions: [{name: m, expression: "object.metadata.name != \\"z\\""}]
  variables: [{name: r, expression: object.spec.replicas}]
  validations:
    - {expression: "variables.r <= 5", message: "too many", reason: Invalid}
    - expression: "object.spec.replicas < int(params.data.max)"
      messageExpression: "\\"max \\" + params.data.max"
  auditAnnotations: [{key: k, valueExpression: "\\"v\\""}]
`,
  filled: [
    'spec.matchConstraints.resourceRules[0].scope = "*"',
    'spec.matchConstraints.excludeResourceRules[0].scope = "*"',
    'status = {}',
  ],
  create: [
    ['spec.paramKind.kind = null', 'spec.paramKind.kind: Required value'],
    ['spec.matchConstraints = null', 'spec.matchConstraints: Required value'],
    ['-spec.paramKind.apiVersion', 'spec.paramKind.apiVersion: Required value'],
    ['-spec.matchConditions[0].expression', 'spec.matchConditions[0].expression: Required value'],
    ['spec.validations[0].message = " "', 'spec.validations[0].message: Invalid value: " ": must be non-empty if specified'],
    ['spec.failurePolicy = Failx', 'spec.failurePolicy: Unsupported value: "Failx": supported values: "Fail", "Ignore"'],
    ['-spec.matchConstraints.resourceRules[0].operations', 'spec.matchConstraints.resourceRules[0].operations: Required value'],
    ['-spec.matchConstraints.resourceRules[0].apiVersions', 'spec.matchConstraints.resourceRules[0].apiVersions: Required value'],
    ['spec.matchConstraints.resourceRules[0].apiVersions[0] = ""', 'spec.matchConstraints.resourceRules[0].apiVersions[0]: Required value'],
    [
      '-spec.matchConstraints.excludeResourceRules[0].operations',
      'spec.matchConstraints.excludeResourceRules[0].operations: Required value',
    ],
    [
      'spec.matchConstraints.excludeResourceRules[0].apiGroups = []',
      'spec.matchConstraints.excludeResourceRules[0].apiGroups: Required value',
    ],
    [
      '-spec.matchConstraints.excludeResourceRules[0].apiVersions',
      'spec.matchConstraints.excludeResourceRules[0].apiVersions: Required value',
    ],
    [
      'spec.auditAnnotations[0].valueExpression = null',
      'spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified',
    ],
    [
      'spec.matchConstraints.excludeResourceRules[0].apiVersions[0] = ""',
      'spec.matchConstraints.excludeResourceRules[0].apiVersions[0]: Required value',
    ],
    [
      'spec.variables[0].name = rx',
      'spec.validations[0].expression: Invalid value: "variables.r <= 5": compilation failed: ERROR: <i…riables.r <= 5\n | .........^',
    ],
    [
      'spec.variables = []',
      `spec.validations[0].expression: Invalid value: "variables.r <= 5": compilation failed: ERROR: <i…'')
 | variables.r <= 5
 | ^`,
    ],
    [
      'spec.matchConditions[0].expression = "Bad_Name!"',
      'spec.matchConditions[0].expression: Invalid value: "Bad_Name!": compilation failed: ERROR: <inpu…F>\n | Bad_Name!\n | ........^',
    ],
    [
      '-spec.variables[0].name',
      'spec.variables[0].name: Required value: name is not specified',
      'spec.validations[0].expression: Invalid value: "variables.r <= 5": compilation failed: ERROR: <i…riables.r <= 5\n | .........^',
    ],
    [
      'spec.variables[0].name = "Bad_Name!"',
      'spec.variables[0].name: Invalid value: "Bad_Name!": must be a valid CEL identifier',
      'spec.validations[0].expression: Invalid value: "variables.r <= 5": compilation failed: ERROR: <i…riables.r <= 5\n | .........^',
    ],
    [
      'spec.variables[0] = null',
      'spec.variables[0].name: Required value: name is not specified',
      'spec.variables[0].expression: Required value: expression is not specified',
      'spec.validations[0].expression: Invalid value: "variables.r <= 5": compilation failed: ERROR: <i…riables.r <= 5\n | .........^',
    ],
    [
      'spec.paramKind.apiVersion = "Bad_Name!"',
      `spec.paramKind.apiVersion: Invalid value: "Bad_Name!": a DNS-1035 label must consist of lower ca…[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.paramKind.kind = "Bad_Name!"',
      `spec.paramKind.kind: Invalid value: "Bad_Name!": may have mixed case, but should otherwise match…[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.paramKind.apiVersion = a × 300',
      'spec.paramKind.apiVersion: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'spec.paramKind = null',
      'spec.validations[1].expression: Invalid value: "object.spec.replicas < int(params.data.max)": co…...........................^',
      'spec.validations[1].messageExpression: Invalid value: "\\"max \\" + params.data.max": compilation …arams.data.max\n | .........^',
    ],
    ['spec.auditAnnotations = []', '-spec.auditAnnotations'],
    [
      'spec.validations[0].message = "two\\nlines"',
      'spec.validations[0].message: Invalid value: "two\\nlines": must not contain line breaks',
    ],
  ],
})
