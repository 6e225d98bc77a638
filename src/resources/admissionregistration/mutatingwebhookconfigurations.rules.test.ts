import { ruleTables } from '../rule-table.contract.ts'
import { mutatingWebhooks } from './webhooks.ts'

ruleTables(mutatingWebhooks, {
  object: `
metadata: {name: default}
webhooks:
  - name: a.example.com
    clientConfig: {url: "https://127.0.0.1:1/x"}
    rules:
      - apiGroups: [example.com]
        apiVersions: [v1]
        operations: [CREATE, UPDATE]
        resources: [things, things/status]
        scope: Namespaced
    failurePolicy: Ignore
    matchPolicy: Exact
    namespaceSelector: {matchLabels: {app: web}}
    objectSelector: {matchExpressions: [{key: a, operator: Exists}]}
    sideEffects: None
    timeoutSeconds: 3
    admissionReviewVersions: [v1, v1beta1]
    matchConditions: [{name: c, expression: "request.userInfo.username != \\"x\\""}]
    reinvocationPolicy: IfNeeded
`,
  create: [
    ['-webhooks[0].name', 'webhooks[0].name: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['-webhooks[0].rules[0].apiGroups', 'webhooks[0].rules[0].apiGroups: Required value'],
    ['-webhooks[0].rules[0].operations', 'webhooks[0].rules[0].operations: Required value'],
    ['-webhooks[0].rules[0].apiVersions', 'webhooks[0].rules[0].apiVersions: Required value'],
    ['webhooks[0].rules[0].apiVersions[0] = ""', 'webhooks[0].rules[0].apiVersions[0]: Required value'],
    ['-webhooks[0].matchConditions[0].expression', 'webhooks[0].matchConditions[0].expression: Required value'],
    ['-webhooks[0].sideEffects', 'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun'],
    ['-webhooks[0].clientConfig', 'webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
    ['webhooks[0].sideEffects = ""', 'webhooks[0].sideEffects: Unsupported value: "": supported values: "None", "NoneOnDryRun"'],
    ['-webhooks[0].admissionReviewVersions', 'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1'],
    ['webhooks[0].matchPolicy = Exactx', 'webhooks[0].matchPolicy: Unsupported value: "Exactx": supported values: "Equivalent", "Exact"'],
    ['webhooks[0].timeoutSeconds = 0', 'webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds'],
    ['webhooks[0].reinvocationPolicy = ""', 'webhooks[0].reinvocationPolicy: Unsupported value: "": supported values: "IfNeeded", "Never"'],
    [
      'webhooks[0].admissionReviewVersions = [v1, v1, v1beta1]',
      'webhooks[0].admissionReviewVersions[1]: Invalid value: "v1": duplicate version',
    ],
    [
      'webhooks[0].rules[0].operations[0] = ""',
      'webhooks[0].rules[0].operations[0]: Unsupported value: "": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    ],
    [
      '-webhooks[0].objectSelector.matchExpressions[0].operator',
      'webhooks[0].objectSelector.matchExpressions[0].operator: Invalid value: "": not a valid selector operator',
    ],
    [
      'webhooks[0].matchConditions = [{name: c, expression: "request.userInfo.username != \\"x\\""}, {name: c, expression: "request.userInfo.username != \\"x\\""}]',
      'webhooks[0].matchConditions[1].name: Duplicate value: "c"',
    ],
    [
      'webhooks[0].rules[0] = null',
      'webhooks[0].rules[0].operations: Required value',
      'webhooks[0].rules[0].apiGroups: Required value',
      'webhooks[0].rules[0].apiVersions: Required value',
      'webhooks[0].rules[0].resources: Required value',
    ],
    [
      'webhooks[0].matchConditions[0].expression = "Bad_Name!"',
      'webhooks[0].matchConditions[0].expression: Invalid value: "Bad_Name!": compilation failed: ERROR…F>\n | Bad_Name!\n | ........^',
    ],
    [
      'webhooks[0].clientConfig.url = ""',
      `webhooks[0].clientConfig.url: Invalid value: "": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      'webhooks[0].clientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]',
    ],
    [
      'webhooks[0] = null',
      'webhooks[0].name: Required value',
      'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
      'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1',
      'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'webhooks[0].admissionReviewVersions[0] = ""',
      `webhooks[0].admissionReviewVersions[0]: Invalid value: "": a DNS-1035 label must consist of lowe…[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'webhooks[0].matchConditions[0].expression = "request.userInfo.username != \\"x\\"x"',
      'webhooks[0].matchConditions[0].expression: Invalid value: "request.userInfo.username != \\"x\\"x":…...........................^',
    ],
    [
      'webhooks[0].matchConditions[0].name = "Bad_Name!"',
      `webhooks[0].matchConditions[0].name: Invalid value: "Bad_Name!": name part must consist of alpha…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'webhooks[0].namespaceSelector.matchLabels[Bad Key!] = x',
      `webhooks[0].namespaceSelector.matchLabels: Invalid value: "Bad Key!": name part must consist of …A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'webhooks[0].name = a × 300',
      'webhooks[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'webhooks[0].admissionReviewVersions[0] = a × 300',
      'webhooks[0].admissionReviewVersions[0]: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'webhooks[0].namespaceSelector.matchLabels.app = a × 300',
      'webhooks[0].namespaceSelector.matchLabels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      '-webhooks[0].objectSelector.matchExpressions[0].key',
      'webhooks[0].objectSelector.matchExpressions[0].key: Invalid value: "": name part must be non-empty',
      `webhooks[0].objectSelector.matchExpressions[0].key: Invalid value: "": name part must consist of…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'webhooks[0].objectSelector.matchExpressions[0].key = a × 300',
      'webhooks[0].objectSelector.matchExpressions[0].key: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    ['webhooks = []', '-webhooks'],
  ],
})
