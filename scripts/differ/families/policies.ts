import type { Json, JsonObject } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import type { Draw } from '../draw.ts'
import type { Subject } from '../subject.ts'

const API = 'admissionregistration.k8s.io/v1'
const GROUP = `/apis/${API}`
const MAPS = '/api/v1/namespaces/{ns}/configmaps'
const PODS = '/api/v1/namespaces/{ns}/pods'

/** How long both servers may take to apply a new policy. */
const SETTLE_MS = 2000

/**
 * A policy of the case's namespace validates or mutates config maps and pods while they are written. Only one, because Kubernetes applies
 * several in any order.
 */
export function policies({ draw }: Subject): Step[] {
  const kind = draw.chance(0.5) ? 'ValidatingAdmissionPolicy' : 'MutatingAdmissionPolicy'
  const plural = `${kind.toLowerCase().slice(0, -1)}ies`
  const validating = kind === 'ValidatingAdmissionPolicy'
  const name = '{ns}.example.com'
  const hasParams = draw.chance(0.4)
  const policy = {
    apiVersion: API,
    kind,
    metadata: { name },
    spec: {
      ...frame(draw),
      ...(hasParams && { paramKind: { apiVersion: WIDGET.apiVersion, kind: draw.pick(['Widget', 'Widget', 'Widget', 'Nothing']) } }),
      ...(validating ? validations(draw) : mutations(draw)),
    },
  }
  const actions = draw.pick<JsonObject>([
    { validationActions: ['Deny'] },
    { validationActions: ['Warn'] },
    { validationActions: ['Audit', 'Warn'] },
  ])
  const binding = {
    apiVersion: API,
    kind: `${kind}Binding`,
    metadata: { name },
    spec: {
      policyName: name,
      ...(validating && actions),
      ...(hasParams && { paramRef: draw.pick(PARAMS) }),
      ...draw.members(NARROWER, 0.15),
    },
  }
  const bindings = `${GROUP}/${kind.toLowerCase()}bindings`
  return [
    { do: 'POST', path: MAPS, body: { metadata: { name: 'seed' }, data: { a: 'x' } }, quiet: true },
    ...(hasParams ? PARAM_OBJECTS : []),
    { do: 'POST', path: `${GROUP}/${plural}`, body: policy },
    { do: 'POST', path: bindings, body: binding },
    { do: 'SLEEP', path: '', ms: SETTLE_MS, quiet: true },
    ...draw.several(5, 7, () => write(draw)),
  ]
}

const WIDGET = { apiVersion: 'differ.bowsprit.dev/v1', kind: 'Widget' }

/**
 * Parameters of policies, and what bindings may name of them. They are custom objects, because Kubernetes no longer sees built-in ones
 * once the last policy with such parameters was deleted.
 */
const PARAM_OBJECTS: readonly Step[] = ['x', 'y'].map((label) => ({
  do: 'POST',
  path: '/apis/differ.bowsprit.dev/v1/namespaces/{ns}/widgets',
  body: { ...WIDGET, metadata: { name: `param-${label}`, labels: { param: label } }, spec: { size: 1, label } },
  quiet: true,
}))
const PARAMS: readonly [JsonObject, ...JsonObject[]] = [
  { name: 'param-x', namespace: '{ns}', parameterNotFoundAction: 'Deny' },
  { name: 'param-x', parameterNotFoundAction: 'Allow' },
  { name: 'missing', parameterNotFoundAction: 'Deny' },
  { name: 'missing', parameterNotFoundAction: 'Allow' },
  { selector: { matchLabels: { param: 'y' } }, parameterNotFoundAction: 'Deny' },
  { selector: { matchLabels: { param: 'z' } }, namespace: '{ns}', parameterNotFoundAction: 'Deny' },
  { selector: { matchLabels: { param: 'z' } }, parameterNotFoundAction: 'Allow' },
  { selector: {}, name: 'param-x', parameterNotFoundAction: 'Deny' },
  { name: 'param-x' },
]

/** What a binding narrows its policy to. */
const NARROWER: Readonly<Record<string, readonly Json[]>> = {
  matchResources: [
    { objectSelector: { matchLabels: { l: '1' } } },
    { namespaceSelector: { matchLabels: { none: 'x' } } },
    { resourceRules: [{ apiGroups: [''], apiVersions: ['*'], operations: ['UPDATE'], resources: ['*'] }], matchPolicy: 'Exact' },
    {
      excludeResourceRules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'], resourceNames: ['a'] },
      ],
    },
  ],
}

function write(draw: Draw): Step {
  const way = draw.pick(['create', 'create', 'create', 'update', 'patch', 'delete', 'pod'])
  switch (way) {
    case 'update':
      return { do: 'PUT', path: `${MAPS}/seed`, body: configMap(draw, 'seed') }
    case 'patch': {
      const headers = { 'content-type': 'application/merge-patch+json' }
      return { do: 'PATCH', path: `${MAPS}/seed`, headers, body: { data: { a: draw.pick(VALUES) } } }
    }
    case 'delete':
      return { do: 'DELETE', path: `${MAPS}/${draw.pick(['seed', 'a'])}` }
    case 'pod': {
      const spec = { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] }
      return { do: 'POST', path: `${PODS}?dryRun=All`, body: { metadata: { name: 'p' }, spec } }
    }
    default:
      return {
        do: 'POST',
        path: `${MAPS}${draw.pick(['', '?dryRun=All', '?fieldManager=m'])}`,
        body: configMap(draw, draw.pick(['a', 'b', 'c'])),
      }
  }
}

const VALUES = ['x', 'y', '5', '1.2.3', '10.0.0.1', 'a,b', '2Gi', 'http://x/']

function configMap(draw: Draw, name: string): JsonObject {
  const data = Object.fromEntries(draw.some(['a', 'q', 'u'], 0.6).map((key) => [key, draw.pick(VALUES) ?? '']))
  return {
    metadata: { name, ...(draw.chance(0.3) && { labels: { l: '1' } }) },
    ...(draw.chance(0.8) && { data }),
    ...(draw.chance(0.1) && { immutable: true }),
  }
}

/** What policies of both kinds have: to what they apply, and their variables. */
function frame(draw: Draw): JsonObject {
  const operations = draw.pick<Json>([['CREATE'], ['CREATE', 'UPDATE'], ['UPDATE']])
  const resources = draw.pick<Json>([['configmaps'], ['*'], ['pods', 'configmaps']])
  const excluded = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['configmaps'] }]
  return {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations, resources }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': '{ns}' } },
      ...(draw.chance(0.1) && { objectSelector: { matchLabels: { l: '1' } } }),
      ...(draw.chance(0.1) && { excludeResourceRules: excluded }),
    },
    ...(draw.chance(0.5) && { failurePolicy: draw.pick(['Fail', 'Ignore']) }),
    ...(draw.chance(0.3) && { matchConditions: [{ name: 'c', expression: draw.pick(CONDITIONS) }] }),
    ...(draw.chance(0.6) && {
      variables: [
        { name: 'v', expression: draw.pick(['size(object.data)', '2', 'object.nope']) },
        { name: 'w', expression: draw.pick(['object.data.a', "'x'", "variables.v > 1 ? 'x' : 'y'"]) },
      ],
    }),
  }
}

const validations = (draw: Draw): JsonObject => ({
  validations: draw.several(1, 3, () => ({
    expression: draw.pick(CONDITIONS),
    ...(draw.chance(0.3) && { message: draw.pick(['no way', 'two\nlines', '  spaced  ', 'é']) }),
    ...(draw.chance(0.3) && { messageExpression: draw.pick(MESSAGES) }),
    ...(draw.chance(0.3) && { reason: draw.pick(['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized']) }),
  })),
  ...(draw.chance(0.2) && { auditAnnotations: [{ key: 'k', valueExpression: draw.pick(MESSAGES) }] }),
})

const mutations = (draw: Draw): JsonObject => ({
  reinvocationPolicy: draw.pick(['Never', 'IfNeeded']),
  mutations: draw.several<JsonObject>(1, 2, () =>
    draw.chance(0.5)
      ? { patchType: 'ApplyConfiguration', applyConfiguration: { expression: draw.pick(CONFIGURATIONS) } }
      : { patchType: 'JSONPatch', jsonPatch: { expression: draw.pick(PATCHES) } },
  ),
})

const CONDITIONS = [
  'params.spec.label == object.data.a',
  "params != null && params.spec.label == 'x'",
  'has(params.spec.when) || object.data.a == params.spec.label',
  'true',
  'false',
  "object.metadata.name != 'b'",
  "object.data.a == 'x'",
  'has(object.data)',
  "has(object.data) && 'a' in object.data",
  "object.?data.?a.orValue('') == 'x'",
  "request.operation == 'CREATE'",
  'oldObject == null',
  'oldObject != null && oldObject.data == object.data',
  "object.metadata.labels.exists(k, k == 'l')",
  'size(object.data) < 2',
  "namespaceObject.metadata.name.startsWith('a')",
  'variables.v > 1',
  "variables.w == 'x'",
  "object.data.a.matches('^[a-z]+$')",
  'int(object.data.a) > 3',
  "quantity(object.data.q).isGreaterThan(quantity('1Gi'))",
  "authorizer.group('').resource('pods').namespace('default').check('create').allowed()",
  'object.nope == 1',
  'dyn(object).nope == 1',
  '1/0 == 1',
  'object.data',
  "'x'",
  "object.data.all(k, object.data[k] != 'y')",
  'request.dryRun',
  "url(object.data.u).getHost() == 'x'",
  "object.metadata.?annotations['z'].orValue('no') == 'no'",
  'isIP(object.data.a)',
  "object.data.a.split(',').size() > 1",
  'format.dns1123Label().validate(object.metadata.name).hasValue()',
  'semver(object.data.a).major() == 1',
  "request.options.kind == 'CreateOptions'",
  'has(request.options.fieldManager)',
  'has(object.immutable) && object.immutable',
]

const MESSAGES = [
  "'params ' + params.spec.label",
  "'msg ' + object.metadata.name",
  "'bad: ' + string(size(object.data))",
  'object.data.a',
  "''",
  "'   '",
  "'a\\nb'",
  'variables.w',
  "'%s is %d'.format(['a', 2])",
  "'x'.upperAscii()",
]

const CONFIGURATIONS = [
  "Object{metadata: Object.metadata{labels: {'x': 'y'}}}",
  "Object{metadata: Object.metadata{annotations: {'n': object.metadata.name}}}",
  "Object{data: {'added': 'v'}}",
  "Object{data: {'a': object.?data.?a.orValue('d') + '!'}}",
  'Object{}',
  'Object{immutable: true}',
  'Object{nope: 1}',
  "Object{metadata: Object.metadata{finalizers: ['a.io/b']}}",
  'object',
  "Object{data: {'w': variables.w}}",
  "Object{spec: Object.spec{containers: [Object.spec.containers.item{name: 'd', image: 'k'}]}}",
  "Object{metadata: Object.metadata{name: 'other'}}",
  "Object{apiVersion: 'v2'}",
  '1/0 == 1 ? Object{} : Object{}',
]

const PATCHES = [
  "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'x': 'y'}}]",
  "[JSONPatch{op: 'add', path: '/data/k', value: 'v'}]",
  "[JSONPatch{op: 'replace', path: '/data/a', value: object.data.a + '2'}]",
  "[JSONPatch{op: 'remove', path: '/data/a'}]",
  "[JSONPatch{op: 'test', path: '/data/a', value: 'x'}, JSONPatch{op: 'add', path: '/metadata/annotations', value: {'t': '1'}}]",
  '[]',
  "[JSONPatch{op: 'copy', from: '/data/a', path: '/data/b'}]",
  "[JSONPatch{op: 'move', from: '/data/a', path: '/data/c'}]",
  "[JSONPatch{op: 'nope', path: '/x'}]",
  "[JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('a/b'), value: 'v'}]",
  "[JSONPatch{op: 'add', path: '/data/n', value: 5}]",
  "[JSONPatch{op: 'add', path: 'x', value: 'v'}]",
  "'x'",
  "[JSONPatch{op: 'add', path: '/spec/containers/-', value: Object.spec.containers.item{name: 'e', image: 'z'}}]",
  "[JSONPatch{op: 'add', path: '/unknown', value: 'q'}]",
]
