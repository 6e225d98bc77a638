import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import { createResourceRegistry } from '../../../apiserver/cache/resource-registry.ts'
import { watchCacheDouble } from '../../../apiserver/cache/watch-cache.double.ts'
import type { Authorizer } from '../../../apiserver/identity/authorizer.ts'
import { PolicyCounts } from '../../../apiserver/metrics/policy-counts.ts'
import { exposition } from '../../../base/exposition.ts'
import { compileExpression } from '../../../machinery/cel/admission/compile-expression.ts'
import { configurationOf } from '../../../machinery/cel/admission/configuration.ts'
import type { Draft } from '../../../machinery/object.ts'
import { cloneJson, type KubeObject } from '../../../machinery/object.ts'
import { readPath } from '../../../machinery/resource/definition.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import type { Schema } from '../../../machinery/schema/schema.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import { builtinResources } from '../../../resources/builtin.ts'
import type { ConfigMap, Pod, PodSpec } from '../../../resources/types/core.ts'
import { kubernetesKinds } from '../../kubernetes-kinds.ts'
import { applyConfiguration } from './apply-configuration.ts'
import { conditionEvaluator } from './condition-evaluator.ts'
import { Pace } from './evaluate.ts'
import { mutatingPolicies } from './mutating-policies.ts'
import { parameterAccess } from './parameter-access.ts'
import { validatingPolicies } from './validating-policies.ts'

const GROUP = 'admissionregistration.k8s.io'
const definitions = createResourceRegistry(builtinResources())
const anyone: UserInfo = { name: 'ann', groups: ['g'] }
const match = { resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'], scope: '*' }] }

/** Rights: `verb resource[/subresource]`, or `verb /path`, with the user's name in front. */
const allows = (...what: string[]): Authorizer => ({
  authorize: async (a) => {
    const subject = a.resourceRequest ? [a.resource, a.subresource].filter(Boolean).join('/') : a.path
    const allowed = what.includes(`${a.user.name} ${a.verb} ${subject}`)
    return { verdict: allowed ? 'allow' : 'no-opinion', reason: allowed ? 'by the list' : '' }
  },
})

function setUp(authorizer: Authorizer = allows()) {
  const watchCache = watchCacheDouble()
  watchCache.put('', 'namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns', labels: { team: 'a' } } })
  const deps = { reader: watchCache.reader, definitions, authorizer }
  const counts = new PolicyCounts()
  const plugins = [mutatingPolicies({ ...deps, kinds: kubernetesKinds }), validatingPolicies({ ...deps, counts }), parameterAccess(deps)]
  const put = (resource: string, kind: string, name: string, spec: object) =>
    watchCache.put(GROUP, resource, { apiVersion: `${GROUP}/v1`, kind, metadata: { name }, spec })
  const validating = (name: string, spec: object, binding: object = {}) => {
    put('validatingadmissionpolicies', 'ValidatingAdmissionPolicy', name, { matchConstraints: match, failurePolicy: 'Fail', ...spec })
    put('validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding', name, {
      policyName: name,
      validationActions: ['Deny'],
      ...binding,
    })
  }
  const mutating = (name: string, spec: object) => {
    put('mutatingadmissionpolicies', 'MutatingAdmissionPolicy', name, {
      matchConstraints: match,
      failurePolicy: 'Fail',
      reinvocationPolicy: 'Never',
      ...spec,
    })
    put('mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding', name, { policyName: name })
  }
  const warnings: string[] = []
  const annotations: Record<string, string> = {}
  const admit = async (object: KubeObject, more: Partial<AdmissionRequest> = {}): Promise<KubeObject | undefined> => {
    const definition = definitions.byKind(object.apiVersion.includes('/') ? (object.apiVersion.split('/')[0] ?? '') : '', object.kind)
    assert(definition)
    const version = object.apiVersion.split('/').at(-1) ?? ''
    let again = false
    const request: AdmissionRequest = {
      operation: 'CREATE',
      resource: { group: definition.group, version, resource: definition.names.plural },
      kind: { group: definition.group, version, kind: object.kind },
      subresource: '',
      namespace: definition.scope === 'Namespaced' ? 'ns' : '',
      name: object.metadata.name ?? '',
      user: anyone,
      dryRun: false,
      object: cloneJson(object),
      oldObject: undefined,
      options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions', metadata: {} },
      warn: (text) => warnings.push(text),
      requireReinvocation() {
        again = true
      },
      annotate: (key, value) => {
        annotations[key] ??= value
      },
      ...more,
    }
    for (const plugin of plugins) if (plugin.handles(request)) await plugin.mutate?.(request)
    for (const plugin of again ? plugins : []) await plugin.reinvoke?.(request)
    for (const plugin of plugins) if (plugin.handles(request)) await plugin.validate?.(request)
    return request.object
  }
  return { watchCache, put, validating, mutating, admit, warnings, annotations, counts }
}

const configMap = (data: Record<string, string> = {}, metadata: object = {}): Draft<ConfigMap> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', namespace: 'ns', ...metadata },
  data,
})

const dataOf = (object: KubeObject | undefined) => object && readPath(object, ['data'])

const refusedWith = (code: number, message: string | RegExp) => (error: unknown) => {
  assert(isStatus(error), String(error))
  assert.equal(error.status.code, code, error.message)
  if (typeof message === 'string') assert.equal(error.message, message)
  else assert.match(error.message, message)
  return true
}

test('validations that fail are counted by what follows, those that hold are not', async () => {
  const w = setUp()
  w.validating('p', { validations: [{ expression: "object.metadata.name != 'bad'" }] }, { validationActions: ['Warn', 'Audit'] })
  await w.admit(configMap())
  assert.equal(exposition(w.counts.families()).trim(), '')
  await w.admit(configMap({}, { name: 'bad' }))
  const of = (action: string) =>
    `apiserver_validating_admission_policy_check_total{enforcement_action="${action}",error_type="invalid_error",policy="p",policy_binding="p"} 1`
  assert.deepEqual(exposition(w.counts.families()).trim().split('\n').slice(2), [of('warn'), of('audit')])
})

test('a validation that fails denies, with the message of its expression, its own, or itself', async () => {
  const w = setUp()
  w.validating('p', {
    validations: [{ expression: "object.data.k == 'v'", message: 'plain', messageExpression: "'k is ' + object.data.k" }],
  })
  await w.admit(configMap({ k: 'v' }))
  const prefix = `configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: `
  await assert.rejects(w.admit(configMap({ k: 'x' })), refusedWith(422, `${prefix}k is x`))
  w.validating('p', { validations: [{ expression: "object.data.k == 'v'", message: 'plain', reason: 'Forbidden' }] })
  await assert.rejects(w.admit(configMap({ k: 'x' })), refusedWith(403, `${prefix}plain`))
  w.validating('p', { validations: [{ expression: " object.data.k == 'v' ", reason: 'Unauthorized', messageExpression: 'object.nope' }] })
  await assert.rejects(w.admit(configMap({ k: 'x' })), refusedWith(401, `${prefix}failed expression: object.data.k == 'v'`))
})

test('a failing expression denies by the failure policy', async () => {
  const w = setUp()
  w.validating('p', { validations: [{ expression: 'object.data.k == ""' }] })
  await assert.rejects(w.admit(configMap()), refusedWith(422, /expression 'object.data.k == ""' resulted in error: no such key: k$/))
  w.validating('p', { validations: [{ expression: 'object.data.k == ""' }], failurePolicy: 'Ignore' })
  await w.admit(configMap())
})

test('warnings, audit annotations and failures for the audit log', async () => {
  const w = setUp()
  w.validating(
    'p',
    {
      validations: [{ expression: 'true' }, { expression: 'false', message: 'no' }, { expression: 'false', message: 'nor this' }],
      auditAnnotations: [
        { key: 'a', valueExpression: '"name " + object.metadata.name' },
        { key: 'b', valueExpression: 'null' },
      ],
    },
    { validationActions: ['Warn', 'Audit'] },
  )
  await w.admit(configMap())
  assert.deepEqual(
    w.warnings,
    ['no', 'nor this'].map((text) => `Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': ${text}`),
  )
  assert.deepEqual(w.annotations, {
    'p/a': 'name c',
    'validation.policy.admission.k8s.io/validation_failure':
      '[{"message":"no","policy":"p","binding":"p","expressionIndex":1,"validationActions":["Warn","Audit"]}]',
  })
})

test('parameters: by name, by selector, one evaluation for each, none found', async () => {
  const w = setUp()
  const policy = {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    validations: [{ expression: 'object.metadata.name != params.data.forbidden' }],
  }
  const bound = (paramRef: object) => w.validating('p', policy, { paramRef: { parameterNotFoundAction: 'Deny', ...paramRef } })
  const denied = /denied request: failed expression/
  bound({ name: 'q', namespace: 'other' })
  await assert.rejects(
    w.admit(configMap()),
    refusedWith(422, /failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction$/),
  )
  bound({ name: 'q', namespace: 'other', parameterNotFoundAction: 'Allow' })
  await w.admit(configMap())
  w.watchCache.put('', 'configmaps', { ...configMap({ forbidden: 'c' }), metadata: { name: 'q', namespace: 'other', labels: { a: 'b' } } })
  await assert.rejects(w.admit(configMap()), refusedWith(422, denied))
  bound({ selector: { matchLabels: { a: 'b' } }, namespace: 'other' })
  await assert.rejects(w.admit(configMap()), refusedWith(422, denied))
  bound({ selector: { matchLabels: { a: 'c' } }, namespace: 'other', parameterNotFoundAction: 'Allow' })
  await w.admit(configMap())
  w.validating('p', { ...policy, paramKind: { apiVersion: 'nope.dev/v1', kind: 'Limits' } }, { paramRef: { name: 'x' } })
  await assert.rejects(
    w.admit(configMap()),
    refusedWith(
      422,
      `configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'nope.dev/v1, Kind=Limits'`,
    ),
  )
})

test('variables are evaluated when they are read, and may use those before them', async () => {
  const w = setUp()
  w.validating('p', {
    variables: [
      { name: 'size', expression: 'object.data.size()' },
      { name: 'twice', expression: 'variables.size * 2' },
      { name: 'broken', expression: 'int(object.data.a)' },
    ],
    validations: [{ expression: 'variables.twice < 4 || variables.broken > 0' }],
  })
  await w.admit(configMap({ a: 'x' }))
  await assert.rejects(
    w.admit(configMap({ a: 'x', b: '' })),
    refusedWith(422, /composited variable "broken" fails to evaluate: type conversion error from 'string' to 'int'$/),
  )
})

test('conditions: a false one decides; an error is handled by the failure policy', async () => {
  const w = setUp()
  const conditions = (failurePolicy: string, ...expressions: string[]) =>
    w.validating('p', {
      failurePolicy,
      validations: [{ expression: 'false' }],
      matchConditions: expressions.map((expression, i) => ({ name: String(i), expression })),
    })
  conditions('Fail', 'object.data.nope == ""', 'false')
  await w.admit(configMap())
  conditions('Ignore', 'object.data.nope == ""')
  await w.admit(configMap())
  conditions('Fail', 'object.data.nope == ""')
  await assert.rejects(w.admit(configMap()), refusedWith(422, /expression 'object.data.nope == ""' resulted in error: no such key: nope$/))
  conditions('Fail', 'true')
  await assert.rejects(w.admit(configMap()), refusedWith(422, /failed expression: false$/))
})

test('what a policy is about: rules, names, exclusions, selectors', async () => {
  const w = setUp()
  const rule = match.resourceRules[0]
  const about = (matchConstraints: object) => w.validating('p', { validations: [{ expression: 'false' }], matchConstraints })
  const isAbout = async (yes: boolean) => (yes ? assert.rejects(w.admit(configMap()), refusedWith(422, /false$/)) : w.admit(configMap()))
  for (const [constraints, yes] of [
    [{ resourceRules: [{ ...rule, resources: ['pods'] }] }, false],
    [{ resourceRules: [{ ...rule, resources: ['configmaps'] }] }, true],
    [{ resourceRules: [{ ...rule, resourceNames: ['d'] }] }, false],
    [{ resourceRules: [{ ...rule, resourceNames: ['d', 'c'] }] }, true],
    [{ ...match, excludeResourceRules: [{ ...rule, operations: ['CREATE'] }] }, false],
    [{ ...match, namespaceSelector: { matchLabels: { team: 'b' } } }, false],
    [{ ...match, namespaceSelector: { matchLabels: { team: 'a' } } }, true],
    [{ ...match, objectSelector: { matchLabels: { x: 'y' } } }, false],
  ] as const) {
    about(constraints)
    await isAbout(yes)
  }
})

test('a policy for another version sees the object in that version', async () => {
  const w = setUp()
  const rule = { ...match.resourceRules[0], apiGroups: ['autoscaling'], apiVersions: ['v1'] }
  const expression = "object.apiVersion == 'autoscaling/v2' && request.kind.version == 'v1' && request.requestKind.version == 'v2'"
  w.validating('p', {
    validations: [{ expression, messageExpression: 'string(object.apiVersion)' }],
    matchConstraints: { resourceRules: [rule] },
  })
  const hpa = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'h', namespace: 'ns' }, spec: {} }
  await assert.rejects(w.admit(hpa), refusedWith(422, /denied request: autoscaling\/v1$/))
  w.validating('p', { validations: [{ expression }], matchConstraints: { resourceRules: [rule], matchPolicy: 'Exact' } })
  await w.admit(hpa)
})

test('an expression may call the authorizer, for the user or a service account', async () => {
  const w = setUp(allows('ann create configmaps', 'ann get /healthz', 'system:serviceaccount:ns:robot delete pods/log'))
  const holds = async (expression: string) => {
    w.validating('p', { validations: [{ expression }] })
    await w.admit(configMap())
  }
  await holds("authorizer.group('').resource('configmaps').namespace('ns').check('create').allowed()")
  await holds(
    "authorizer.requestResource.check('create').reason() == 'by the list' && !authorizer.requestResource.check('delete').allowed()",
  )
  await holds("authorizer.path('/healthz').check('get').allowed() && !authorizer.path('/x').check('get').allowed()")
  const robot = "authorizer.serviceAccount('ns', 'robot').group('').resource('pods')"
  await holds(`${robot}.subresource('log').fieldSelector('a=b').labelSelector('c=d').name('p').check('delete').allowed()`)
  await holds(`!${robot}.check('delete').allowed() && ${robot}.check('delete').error() == ''`)
  await holds(`!${robot}.check('delete').errored()`)
  await assert.rejects(
    holds("authorizer.serviceAccount('NS', 'robot').path('/').check('get').allowed()"),
    refusedWith(422, /Invalid service account namespace$/),
  )
})

test('audit annotations have no authorizer, nor have variables that messages use', async () => {
  const w = setUp(allows('ann get /x'))
  const reason = "authorizer.path('/x').check('get').reason()"
  w.validating('p', { validations: [{ expression: 'true' }], auditAnnotations: [{ key: 'k', valueExpression: reason }] })
  await assert.rejects(w.admit(configMap()), refusedWith(422, /resulted in error: no such attribute\(s\): authorizer$/))
  w.validating('p', {
    variables: [{ name: 'reason', expression: reason }],
    validations: [{ expression: "variables.reason == ''", message: 'plain', messageExpression: 'variables.reason' }],
  })
  await assert.rejects(w.admit(configMap()), refusedWith(422, /denied request: plain$/))
})

test('three authorization checks are more than an expression may cost', async () => {
  const w = setUp()
  const check = (i: number) => `!authorizer.path('/${i}').check('get').allowed()`
  w.validating('p', { validations: [{ expression: [1, 2].map(check).join(' && ') }] })
  await w.admit(configMap())
  w.validating('p', { validations: [{ expression: [1, 2, 3].map(check).join(' && ') }] })
  await assert.rejects(w.admit(configMap()), refusedWith(422, /resulted in error: operation cancelled: actual cost limit exceeded$/))
})

test('all validations of a policy have one budget', async () => {
  const w = setUp()
  const data = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, 'v']))
  const expression = 'object.data.all(a, object.data.all(b, object.data[a] == object.data[b]))'
  w.validating('p', { validations: [{ expression }] })
  await w.admit(configMap(data))
  w.validating('p', { validations: Array.from({ length: 20 }, () => ({ expression })) })
  await assert.rejects(w.admit(configMap(data)), refusedWith(422, /running out of cost budget, no further validation rules will be run$/))
})

test('policies themselves are exempt', async () => {
  const w = setUp()
  w.validating('p', { validations: [{ expression: 'false' }] })
  await w.admit({ apiVersion: `${GROUP}/v1`, kind: 'ValidatingAdmissionPolicy', metadata: { name: 'q' }, spec: {} })
  await assert.rejects(w.admit({ apiVersion: `${GROUP}/v1`, kind: 'ValidatingWebhookConfiguration', metadata: { name: 'q' } }))
})

const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } })
const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } })

test('a policy patches the object', async () => {
  const w = setUp()
  w.mutating('m', {
    mutations: [
      patch(`[
        JSONPatch{op: "test", path: "/data/k", value: "v"},
        JSONPatch{op: "add", path: "/metadata/labels", value: {"a/b": "c"}},
        JSONPatch{op: "replace", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b"), value: "d"},
      ]`),
    ],
  })
  assert.deepEqual((await w.admit(configMap({ k: 'v' })))?.metadata.labels, { 'a/b': 'd' })
  // A failed `test` operation is no error: nothing is patched.
  assert.equal((await w.admit(configMap({ k: 'x' })))?.metadata.labels, undefined)
  w.mutating('m', { mutations: [patch('[JSONPatch{op: "remove", path: "/data/nope"}]')] })
  await assert.rejects(w.admit(configMap()), refusedWith(403, /^policy 'm' with binding 'm' denied request: JSON Patch: /))
  w.mutating('m', { mutations: [patch('[JSONPatch{op: "copy", from: "", path: "/data/nope"}]')] })
  await assert.rejects(w.admit(configMap()), refusedWith(403, /copy operation failed to decode from: operation, missing from field/))
  w.mutating('m', { mutations: [patch('[JSONPatch{op: "replace", path: "", value: "text"}]')] })
  await assert.rejects(w.admit(configMap()), refusedWith(403, /value must be object or array: %!w\(<nil>\)$/))
})

test('a list without elements in a configuration is as none where the schema has a list, and null elsewhere', () => {
  const string: Schema = { type: 'scalar', scalar: 'string' }
  const field = (schema: Schema) => ({ schema, tag: 0, omitEmpty: true })
  const spec: Schema = {
    type: 'struct',
    required: [],
    fields: new Map([
      ['set', field({ type: 'list', items: string, listType: 'set' })],
      ['open', field({ type: 'struct', required: [], fields: new Map(), preserveUnknown: true })],
    ]),
  }
  const scope = { params: false, authorizer: false, patches: true }
  const { program } = compileExpression('Object{set: [], open: Object.open{list: []}}', 'configuration', scope)
  const configuration = configurationOf(program?.run({}) ?? null)
  const object = { apiVersion: 'v1', kind: 'T', metadata: {} }
  const filled = { ...object, set: ['a'] }
  assert.deepEqual(applyConfiguration(spec, filled, configuration), { ...filled, open: { list: null } })
  assert.deepEqual(applyConfiguration(spec, object, configuration), { ...object, open: { list: null } })
  assert.deepEqual(applyConfiguration(spec, { ...object, ...{ set: [] } }, configuration), { ...object, open: { list: null } })
})

test('a policy merges a configuration into the object, lists by their keys', async () => {
  const w = setUp()
  const pod: Draft<Pod> = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'ns' },
    spec: { containers: [{ name: 'a', image: 'i' }] },
  }
  w.mutating('m', {
    mutations: [
      apply(
        'Object{metadata: Object.metadata{labels: {"x": "y"}}, spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, imagePullPolicy: "Never"})}}',
      ),
      apply('Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "first", image: "j"}]}}'),
    ],
  })
  const out = await w.admit(pod)
  assert.deepEqual(out?.metadata.labels, { x: 'y' })
  assert.ok(out)
  const { containers, initContainers } = readPath(out, ['spec']) as PodSpec
  assert.deepEqual([containers[0]?.image, containers[0]?.imagePullPolicy, initContainers?.[0]?.name], ['i', 'Never', 'first'])
  const refused = async (expression: string, why: RegExp) => {
    w.mutating('m', { mutations: [apply(expression)] })
    await assert.rejects(w.admit(pod), refusedWith(403, why))
  }
  await refused('Object{spec: Object.nope{}}', /type mismatch: unexpected type name "Object.nope", expected "Object.spec"/)
  await refused('Object{spec: Object.spec{nope: 1}}', /field not declared in schema$/)
  await refused(
    'Object{spec: Object.spec{containers: [Object.spec.containers{name: "a", args: ["x"]}]}}',
    /invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: \.spec\.containers\[0\]\.args$/,
  )
})

test('values of expressions that are no JSON do not fit a configuration, nor do nested literals', async () => {
  const w = setUp()
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's', namespace: 'ns', labels: { a: 'b' } }, spec: {} }
  const refused = async (expression: string, fault: string) => {
    w.mutating('m', { mutations: [apply(expression)] })
    const why = `policy 'm' with binding 'm' denied request: error applying patch: failed to convert patch object to typed object: ${fault}`
    await assert.rejects(w.admit(service), { message: why })
  }
  await refused('Object{spec: null}', '.spec: expected map, got &{NULL_VALUE}')
  await refused(
    'Object{metadata: Object.metadata{labels: {"x": null}}}',
    '.metadata.labels.x: expected string, got &value.valueUnstructured{Value:0}',
  )
  await refused(
    'Object{metadata: Object.metadata{labels: {"x": timestamp("2020-01-01T01:02:03.5Z")}}}',
    '.metadata.labels.x: expected string, got &value.valueUnstructured{Value:time.Date(2020, time.January, 1, 1, 2, 3, 500000000, time.UTC)}',
  )
  await refused(
    'Object{spec: Object.spec{publishNotReadyAddresses: duration("90s")}}',
    '.spec.publishNotReadyAddresses: expected boolean, got &{1m30s}',
  )
  await refused(
    'Object{spec: Object.spec{healthCheckNodePort: 1u}}',
    '.spec.healthCheckNodePort: expected numeric (int or float), got uint64',
  )
  await refused(
    'Object{spec: Object.spec{ports: [{"port": 81}]}}',
    '.spec.ports: element 0: associative list with keys may not have non-map elements',
  )
  await refused(
    'Object{metadata: Object.metadata{finalizers: [null]}}',
    '.metadata.finalizers[={{undefined}}]: expected string, got &value.valueUnstructured{Value:0}',
  )
  w.mutating('m', { mutations: [apply('Object{kind: 1, metadata: Object.metadata{annotations: object.metadata.labels}}')] })
  assert.deepEqual((await w.admit(service))?.metadata.annotations, { a: 'b' })
})

test('a value of a patch that cannot be JSON is refused', async () => {
  const w = setUp()
  w.mutating('m', { mutations: [patch('[JSONPatch{op: "add", path: "/data/k", value: optional.none()}]')] })
  await assert.rejects(w.admit(configMap({ k: 'v' })), {
    message:
      "policy 'm' with binding 'm' denied request: JSONPath valueExpression evaluated to a type that could not marshal to JSON: optional.none() dereference",
  })
})

for (const [path, value, message] of [
  ['/kind', 'configmap', 'no kind "configmap" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"'],
  ['/apiVersion', 'v2', 'no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"'],
  ['/apiVersion', 'a/b/c', 'unexpected GroupVersion string: a/b/c'],
] as const)
  test(`a policy cannot make ${path} of an object ${value}`, async () => {
    const w = setUp()
    w.mutating('m', { mutations: [patch(`[JSONPatch{op: "replace", path: "${path}", value: "${value}"}]`)] })
    await assert.rejects(w.admit(configMap({ k: 'v' })), { message: `Internal error occurred: ${message}` })
  })

test('policies are reinvoked when a later one changed the object', async () => {
  const w = setUp()
  const count = (name: string) =>
    patch(`[JSONPatch{op: "add", path: "/data/${name}", value: string(("${name}" in object.data ? int(object.data.${name}) : 0) + 1)}]`)
  w.mutating('a', { mutations: [count('a')], reinvocationPolicy: 'IfNeeded' })
  w.mutating('b', { mutations: [count('b')] })
  assert.deepEqual(dataOf(await w.admit(configMap())), { a: '2', b: '1' })
})

test('a policy that may be reinvoked runs again after its own mutation, as in Kubernetes; others do not', async () => {
  const append = patch('[JSONPatch{op: "replace", path: "/data/k", value: object.data.k + "!"}]')
  for (const [reinvocationPolicy, expected] of [
    ['IfNeeded', 'v!!'],
    ['Never', 'v!'],
  ] as const) {
    const w = setUp()
    w.mutating('m', { mutations: [append], reinvocationPolicy })
    assert.deepEqual(dataOf(await w.admit(configMap({ k: 'v' }))), { k: expected })
  }
})

test('a patch with unknown fields or of a wrong type is an internal error, whatever the failure policy', async () => {
  for (const [operation, message] of [
    ['path: "/unknown", value: "q"', 'Internal error occurred: strict decoding error: unknown field "unknown"'],
    [
      'path: "/data/n", value: 5',
      'Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
  ] as const) {
    const w = setUp()
    w.mutating('m', { mutations: [patch(`[JSONPatch{op: "add", ${operation}}]`)], failurePolicy: 'Ignore' })
    await assert.rejects(w.admit(configMap({ k: 'v' })), { message })
  }
})

test('a failed mutation is ignored with failure policy Ignore', async () => {
  const w = setUp()
  w.mutating('m', { mutations: [patch('[JSONPatch{op: "add", path: object.data.nope, value: 1}]')], failurePolicy: 'Ignore' })
  assert.deepEqual(dataOf(await w.admit(configMap({ k: 'v' }))), { k: 'v' })
  w.mutating('m', {
    mutations: [patch('[JSONPatch{op: "add", path: "/data/x", value: "y"}]')],
    matchConditions: [{ name: 'x', expression: 'false' }],
  })
  assert.deepEqual(dataOf(await w.admit(configMap({ k: 'v' }))), { k: 'v' })
})

test('a user cannot let a policy read parameters that the user may not read', async () => {
  const policy = {
    apiVersion: `${GROUP}/v1`,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'q' },
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
  }
  const binding = {
    apiVersion: `${GROUP}/v1`,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'b' },
    spec: { policyName: 'q', paramRef: { name: 'x' } },
  }
  const w = setUp()
  await assert.rejects(
    w.admit(policy),
    refusedWith(
      422,
      `ValidatingAdmissionPolicy.${GROUP} "q" is invalid: spec.paramKind: Forbidden: user &{ann  [g] map[]} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`,
    ),
  )
  await assert.rejects(w.admit(binding), refusedWith(422, /does not have "get" permission on the object referenced by paramRef$/))
  await w.admit(policy, { operation: 'UPDATE', oldObject: policy })
  const other = setUp(allows('ann get configmaps'))
  await other.admit(policy)
  other.put('validatingadmissionpolicies', 'ValidatingAdmissionPolicy', 'q', policy.spec)
  await other.admit(binding)
})

const deletion: AdmissionRequest = {
  operation: 'DELETE',
  resource: { group: '', version: 'v1', resource: 'configmaps' },
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  subresource: '',
  namespace: 'ns',
  name: 'c',
  user: anyone,
  dryRun: true,
  object: undefined,
  oldObject: configMap({ k: 'v' }),
  options: { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions', metadata: {} },
  warn: () => {},
  requireReinvocation: () => {},
  annotate: () => {},
}

test('match conditions of webhooks', async () => {
  const w = setUp()
  const evaluate = conditionEvaluator({ reader: w.watchCache.reader, definitions, authorizer: allows('ann get /x') })
  const found = (...expressions: string[]) =>
    evaluate(
      expressions.map((expression) => ({ expression })),
      { request: deletion, version: 'v1', pace: new Pace() },
    )
  const rows: readonly (readonly [expressions: readonly string[], holds: boolean])[] = [
    [["request.operation == 'DELETE' && object == null && oldObject.data.k == 'v' && request.dryRun"], true],
    [["request.userInfo.username == 'ann' && 'g' in request.userInfo.groups"], true],
    [["authorizer.path('/x').check('get').allowed()"], true],
    [['has(request.subResource)'], false],
    [['oldObject.data.nope == ""', 'false'], false],
  ]
  for (const [expressions, holds] of rows) assert.deepEqual(await found(...expressions), { holds })
  assert.match((await found('oldObject.data.nope')).error ?? '', /must evaluate to bool but got dyn/)
  const costly = `${['a', 'b', 'c', 'd', 'e'].map((name) => `[0,1,2,3,4,5,6,7,8,9].all(${name}, `).join('')}a + e >= 0${')'.repeat(5)}`
  assert.match(
    (await found(...Array.from({ length: 10 }, () => costly))).error ?? '',
    /^validation failed due to running out of cost budget/,
  )
})

test('policies whose rules cost much give turns to others', async () => {
  const w = setUp()
  const validations = Array.from({ length: 4 }, (_, i) => ({ expression: `object.data.all(k, object.data.all(j, k + j != "${i}"))` }))
  w.validating('dear', { validations })
  w.validating('dearer', { validations })
  const turns = await turnsOf(() => w.admit(configMap(Object.fromEntries(Array.from({ length: 160 }, (_, i) => [`k${i}`, 'v'])))))
  assert.ok(turns >= 7, `${turns} turns`)
})

test('match conditions of many webhooks give turns to others', async () => {
  const w = setUp()
  const evaluate = conditionEvaluator({ reader: w.watchCache.reader, definitions, authorizer: allows('') })
  const hundred = Array.from({ length: 100 }, (_, i) => i)
  const conditions = [{ expression: `${JSON.stringify(hundred)}.all(a, ${JSON.stringify(hundred)}.all(b, a + b >= 0))` }]
  const pace = new Pace()
  const turns = await turnsOf(async () => {
    for (let i = 0; i < 10; i++) await evaluate(conditions, { request: deletion, version: 'v1', pace })
  })
  assert.ok(turns >= 3, `${turns} turns`)
})

/** How often the event loop turns until the work is done. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  await work()
  clearImmediate(timer)
  return turns
}
