import { ruleTables } from '../rule-table.contract.ts'
import { validatingWebhooks } from './webhooks.ts'

ruleTables(validatingWebhooks, {
  object: `
metadata: {name: ns-r}
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
  - name: b.example.com
    clientConfig: {service: {namespace: x, name: s, path: /p, port: 443}, caBundle: "Cg=="}
    rules: [{apiGroups: [example.com], apiVersions: ["*"], operations: ["*"], resources: ["*/*"]}]
    sideEffects: NoneOnDryRun
    admissionReviewVersions: [v1]
`,
  filled: [
    'webhooks[1].rules[0].scope = "*"',
    'webhooks[1].failurePolicy = Fail',
    'webhooks[1].matchPolicy = Equivalent',
    'webhooks[1].namespaceSelector = {}',
    'webhooks[1].objectSelector = {}',
    'webhooks[1].timeoutSeconds = 10',
  ],
  create: [
    ['-webhooks[0].rules[0].apiGroups', 'webhooks[0].rules[0].apiGroups: Required value'],
    ['-webhooks[1].rules[0].resources', 'webhooks[1].rules[0].resources: Required value'],
    ['-webhooks[1].rules[0].operations', 'webhooks[1].rules[0].operations: Required value'],
    ['webhooks[0].rules[0].apiVersions = []', 'webhooks[0].rules[0].apiVersions: Required value'],
    ['webhooks[1].rules[0].apiVersions[0] = ""', 'webhooks[1].rules[0].apiVersions[0]: Required value'],
    ['-webhooks[1].clientConfig.service.namespace', 'webhooks[1].clientConfig.service.name: Required value'],
    ['webhooks[1].clientConfig.service.name = null', 'webhooks[1].clientConfig.service.namespace: Required value'],
    ['-webhooks[1].sideEffects', 'webhooks[1].sideEffects: Required value: must specify one of None, NoneOnDryRun'],
    ['-webhooks[0].clientConfig.url', 'webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
    ['webhooks[1].sideEffects = ""', 'webhooks[1].sideEffects: Unsupported value: "": supported values: "None", "NoneOnDryRun"'],
    ['-webhooks[0].admissionReviewVersions', 'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1'],
    ['webhooks[1].admissionReviewVersions = [v1, v1]', 'webhooks[1].admissionReviewVersions[1]: Invalid value: "v1": duplicate version'],
    ['webhooks[0].matchPolicy = Exactx', 'webhooks[0].matchPolicy: Unsupported value: "Exactx": supported values: "Equivalent", "Exact"'],
    ['webhooks[0].failurePolicy = Ignorex', 'webhooks[0].failurePolicy: Unsupported value: "Ignorex": supported values: "Fail", "Ignore"'],
    ['webhooks[0].timeoutSeconds = 0', 'webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds'],
    [
      'webhooks[1].clientConfig.service.port = 0',
      'webhooks[1].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
    ],
    [
      'webhooks[0].rules[0].operations[0] = ""',
      'webhooks[0].rules[0].operations[0]: Unsupported value: "": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    ],
    [
      'webhooks[0].matchConditions = [null, {name: c, expression: "request.userInfo.username != \\"x\\""}]',
      'webhooks[0].matchConditions[0].expression: Required value',
      'webhooks[0].matchConditions[0].name: Required value',
    ],
    [
      'webhooks[0].matchConditions = [{name: c, expression: "request.userInfo.username != \\"x\\""}, {name: c, expression: "request.userInfo.username != \\"x\\""}]',
      'webhooks[0].matchConditions[1].name: Duplicate value: "c"',
    ],
    [
      'webhooks[0].clientConfig.url = ""',
      `webhooks[0].clientConfig.url: Invalid value: "": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      'webhooks[0].clientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]',
    ],
    [
      'webhooks[0].name = "Bad_Name!"',
      `webhooks[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of low…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'webhooks[0].admissionReviewVersions[1] = ""',
      `webhooks[0].admissionReviewVersions[1]: Invalid value: "": a DNS-1035 label must consist of lowe…[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'webhooks[0].admissionReviewVersions[0] = null',
      `webhooks[0].admissionReviewVersions[0]: Invalid value: "": a DNS-1035 label must consist of lowe…[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'webhooks[0].name = a × 300',
      'webhooks[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'webhooks[1].admissionReviewVersions[0] = "Bad_Name!"',
      `webhooks[1].admissionReviewVersions[0]: Invalid value: "Bad_Name!": a DNS-1035 label must consis…[a-z]([-a-z0-9]*[a-z0-9])?')`,
      'webhooks[1].admissionReviewVersions: Invalid value: ["Bad_Name!"]: must include at least one of v1, v1beta1',
    ],
    [
      'webhooks[1].admissionReviewVersions[0] = a × 300',
      'webhooks[1].admissionReviewVersions[0]: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
      'webhooks[1].admissionReviewVersions: Invalid value: ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… at least one of v1, v1beta1',
    ],
    ['webhooks[0].matchConditions = []', '-webhooks[0].matchConditions'],
  ],
})
