import type { Json, JsonObject } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import type { Draw } from '../draw.ts'
import { type WebhookAnswer, webhookUrl } from '../drawn-webhook.ts'
import type { Subject } from '../subject.ts'

const API = 'admissionregistration.k8s.io/v1'
const PLACE = 'namespaces/{ns}'
const MAPS = `/api/v1/${PLACE}/configmaps`
const PODS = `/api/v1/${PLACE}/pods`
const DEPLOYMENTS = `/apis/apps/v1/${PLACE}/deployments`
const WIDGETS = `/apis/differ.bowsprit.dev/v1/${PLACE}/widgets`

/** How long both servers may take to call a new webhook. */
const SETTLE_MS = 1000

/**
 * Webhooks of the case's namespace see what is written there, and answer as they were drawn. Only one of them validates, because Kubernetes
 * calls those at the same time.
 */
export function webhooks({ draw }: Subject): Step[] {
  return [
    ...draw.pick([[mutating], [validating], [mutating, validating]]).map((configure) => configure(draw)),
    { do: 'SLEEP', path: '', ms: SETTLE_MS, quiet: true },
    ...draw.several(5, 8, () => write(draw)),
  ]
}

const mutating = (draw: Draw): Step =>
  configuration('MutatingWebhookConfiguration', [
    ...draw.several(1, 3, () => ({ ...webhook(draw), ...draw.members({ reinvocationPolicy: ['Never', 'IfNeeded'] }, 0.6) })),
  ])

const validating = (draw: Draw): Step => configuration('ValidatingWebhookConfiguration', [webhook(draw)])

const configuration = (kind: string, of: readonly JsonObject[]): Step => ({
  do: 'POST',
  path: `/apis/${API}/${kind.toLowerCase()}s`,
  body: {
    apiVersion: API,
    kind,
    metadata: { name: '{ns}.example.com' },
    webhooks: of.map((one, i) => ({ name: `w${i}.example.com`, ...one })),
  },
})

function webhook(draw: Draw): JsonObject {
  return {
    clientConfig: {
      url: webhookUrl(draw.chance(0.25) ? { echo: true, response: { allowed: false } } : answer(draw)),
      caBundle: '{webhookCA}',
    },
    rules: draw.several<JsonObject>(1, 2, () => ({
      ...draw.pick(RULES),
      operations: draw.pick<Json>([['*'], ['*'], ['CREATE'], ['UPDATE', 'CREATE'], ['DELETE'], ['CONNECT', 'UPDATE']]),
    })),
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': '{ns}' } },
    sideEffects: draw.pick(['None', 'NoneOnDryRun']),
    admissionReviewVersions: draw.pick([['v1'], ['v1', 'v1beta1'], ['v1beta1'], ['v2', 'v1']]),
    ...draw.members(SETTINGS, 0.25),
  }
}

const RULES: readonly [JsonObject, ...JsonObject[]] = [
  { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
  { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps', 'pods'] },
  { apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] },
  { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], scope: 'Namespaced' },
  { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments', 'deployments/scale'] },
  { apiGroups: [''], apiVersions: ['v1'], resources: ['pods/*'] },
  { apiGroups: ['differ.bowsprit.dev'], apiVersions: ['v2'], resources: ['widgets', 'widgets/status'] },
  { apiGroups: ['differ.bowsprit.dev'], apiVersions: ['v1'], resources: ['widgets/*'] },
  { apiGroups: ['policy'], apiVersions: ['v1'], resources: ['*/eviction'] },
]

const SETTINGS: Readonly<Record<string, readonly Json[]>> = {
  failurePolicy: ['Fail', 'Ignore', 'Ignore'],
  matchPolicy: ['Exact', 'Equivalent'],
  timeoutSeconds: [1, 5],
  objectSelector: [{ matchLabels: { l: '1' } }, { matchExpressions: [{ key: 'l', operator: 'DoesNotExist' }] }],
  matchConditions: [
    [{ name: 'c', expression: "request.operation != 'DELETE'" }],
    [{ name: 'c', expression: "has(object.metadata.labels) && object.metadata.labels.l == '1'" }],
    [{ name: 'c', expression: "object.data.a == 'x'" }],
    [
      { name: 'c', expression: 'false' },
      { name: 'd', expression: 'object.nope' },
    ],
  ],
}

function answer(draw: Draw): WebhookAnswer {
  const kind = draw.pick(['right', 'right', 'denied', 'patched', 'patched', 'patched', 'wrong'])
  const extras = draw.members({ warnings: WARNINGS, auditAnnotations: [{ k: 'v' }, { 'a b': '' }] }, 0.25)
  switch (kind) {
    case 'denied':
      return { response: { allowed: false, status: draw.members(STATUS, 0.4), ...extras } }
    case 'patched':
      return { patch: draw.several(1, 2, () => draw.pick(OPERATIONS)), response: { ...draw.members(PATCH_FAULTS, 0.07), ...extras } }
    case 'wrong':
      return draw.pick(WRONG)
    default:
      return { response: extras }
  }
}

const WARNINGS: readonly Json[] = [
  ['careful'],
  ['a', 'b', 'a'],
  [''],
  ['"quoted" \\ é'],
  ['two\nlines'],
  ['long '.repeat(60)],
  Array.from({ length: 20 }, (_, i) => `${i} `.repeat(100)),
  'text',
]

const STATUS: Readonly<Record<string, readonly Json[]>> = {
  message: ['no', '', 'two\nlines'],
  reason: ['Forbidden', 'NotFound', 'Teapot', ''],
  code: [400, 404, 418, 200, 0, 1000, 500],
  status: ['Failure', 'Success'],
  details: [{ name: 'n', kind: 'k', causes: [{ field: 'f', message: 'm', reason: 'r' }] }, { retryAfterSeconds: 3 }],
  metadata: [{ resourceVersion: '5' }],
}

const OPERATIONS: readonly [Json, ...Json[]] = [
  { op: 'add', path: '/metadata/labels', value: { l: '1' } },
  { op: 'add', path: '/metadata/labels/l', value: '1' },
  { op: 'add', path: '/metadata/annotations', value: { a: 'b' } },
  { op: 'add', path: '/metadata/annotations', value: { a: 1 } },
  { op: 'add', path: '/metadata/labels', value: { 'bad key!': 'x' } },
  { op: 'replace', path: '/metadata/name', value: 'other' },
  { op: 'add', path: '/metadata/namespace', value: 'other' },
  { op: 'replace', path: '/kind', value: 'Secret' },
  { op: 'remove', path: '/metadata/uid' },
  { op: 'add', path: '/metadata/resourceVersion', value: '1' },
  { op: 'add', path: '/metadata/managedFields', value: [] },
  { op: 'add', path: '/metadata/finalizers', value: ['a.io/b'] },
  { op: 'add', path: '/metadata/deletionTimestamp', value: '2026-01-02T03:04:05Z' },
  { op: 'add', path: '/data/hooked', value: 'yes' },
  { op: 'add', path: '/data/number', value: 5 },
  { op: 'add', path: '/data', value: { a: 'z' } },
  { op: 'add', path: '/unknown', value: { a: 1 } },
  { op: 'remove', path: '/data/a' },
  { op: 'remove', path: '/data' },
  { op: 'test', path: '/data/a', value: 'x' },
  { op: 'copy', from: '/data/a', path: '/data/copied' },
  { op: 'move', from: '/data/a', path: '/data/moved' },
  { op: 'add', path: '/spec/replicas', value: 3 },
  { op: 'add', path: '/spec/size', value: 7 },
  { op: 'add', path: '/spec/size', value: 700 },
  { op: 'add', path: '/spec/mode', value: 'Slow' },
  { op: 'remove', path: '/spec' },
  { op: 'add', path: '/status', value: { phase: 'Hooked' } },
  { op: 'add', path: '/spec/containers/-', value: { name: 'd', image: 'e' } },
  { op: 'add', path: '/spec/containers/0', value: { name: 'main', image: 'f' } },
  { op: 'add', path: '', value: {} },
  { op: 'replace', path: '/spec/template/spec/containers/0/image', value: '' },
  { op: 'x', path: '/a' },
  'text',
]

const PATCH_FAULTS: Readonly<Record<string, readonly Json[]>> = {
  patchType: [null, 'MergePatch', ''],
  patch: ['bm90IGpzb24=', 'not base64!', 'e30=', 'bnVsbA==', '', 5],
  allowed: [false],
}

const WRONG: readonly [WebhookAnswer, ...WebhookAnswer[]] = [
  { text: 'a: b' },
  ...['', '{}', 'no JSON', '[]', 'null', '{"response":{}}', '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}'].map(
    (text) => ({ text }),
  ),
  ...[500, 404, 204, 301, 400, 201].map((code) => ({ code })),
  { code: 403, text: '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"go away","reason":"Forbidden","code":403}' },
  { code: 500, text: 'broken inside' },
  ...[{ uid: 'other' }, { uid: null }, { allowed: 'yes' }, { allowed: null }, { unknown: 1 }, { status: 'no' }].map((response) => ({
    response,
  })),
  ...[{ apiVersion: 'admission.k8s.io/v1beta1' }, { apiVersion: 'v1' }, { kind: 'Pod' }, { kind: null }, { response: null }].map(
    (review) => ({ review }),
  ),
]

const labels = (draw: Draw): JsonObject => (draw.chance(0.4) ? { labels: { l: '1' } } : {})

function write(draw: Draw): Step {
  const name = draw.pick(['a', 'a', 'b'])
  const query = draw.pick(['', '', '', '', '?dryRun=All', '?fieldManager=m', '?fieldValidation=Strict'])
  const [path, spec] = draw.pick(OBJECTS)
  const body = { metadata: { name, ...labels(draw) }, ...spec }
  const subject = `${path}/${name}`
  switch (draw.pick(['create', 'create', 'create', 'create', 'update', 'patch', 'apply', 'delete', 'clear', 'sub'])) {
    case 'update':
      return { do: 'PUT', path: `${subject}${query}`, body }
    case 'patch':
      return { do: 'PATCH', path: `${subject}${query}`, body: draw.pick([{ metadata: { labels: { l: '2' } } }, { data: { a: 'y' } }, {}]) }
    case 'apply': {
      const headers = { 'content-type': 'application/apply-patch+yaml' }
      const identity = { apiVersion: 'v1', kind: 'ConfigMap' }
      return { do: 'PATCH', path: `${MAPS}/${name}?fieldManager=a`, headers, body: { ...identity, metadata: { name }, data: { a: 'w' } } }
    }
    case 'delete':
      return { do: 'DELETE', path: `${subject}${query}` }
    case 'clear':
      return { do: 'DELETE', path }
    case 'sub':
      return draw.pick<Step>([
        { do: 'PATCH', path: `${DEPLOYMENTS}/a/scale`, body: { spec: { replicas: 2 } } },
        { do: 'PATCH', path: `${WIDGETS}/a/status`, body: { status: { phase: 'Old' } } },
        { do: 'PATCH', path: `${WIDGETS}/a/scale`, body: { spec: { replicas: 4 } } },
        { do: 'POST', path: `${PODS}/a/eviction`, body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } } },
        { do: 'POST', path: `${PODS}/a/binding`, body: { metadata: { name: 'a' }, target: { kind: 'Node', name: 'n' } } },
        { do: 'PATCH', path: `${PODS}/a/status`, body: { status: { message: 'm' } } },
        {
          do: 'GET',
          path: `${PODS}/${draw.pick(['a', 'a:80'])}/${draw.pick(['exec?command=x&tty=1', 'portforward?ports=80', 'proxy/x', 'log'])}`,
        },
      ])
    default:
      return { do: 'POST', path: `${path}${query}`, body }
  }
}

const CONTAINERS = { containers: [{ name: 'main', image: 'x' }] }

/** What is written, by collection. */
const OBJECTS: readonly [readonly [string, JsonObject], ...(readonly [string, JsonObject])[]] = [
  [MAPS, { data: { a: 'x' } }],
  [MAPS, { data: { a: 'y', b: 'z' } }],
  [PODS, { spec: { ...CONTAINERS, automountServiceAccountToken: false } }],
  [DEPLOYMENTS, { spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: CONTAINERS } } }],
  [WIDGETS, { apiVersion: 'differ.bowsprit.dev/v1', kind: 'Widget', spec: { size: 1 } }],
  [WIDGETS.replace('v1', 'v2'), { apiVersion: 'differ.bowsprit.dev/v2', kind: 'Widget', spec: { size: 2, parts: [{ name: 'a' }] } }],
]
