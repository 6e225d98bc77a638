import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ValidatingAdmissionPolicy } from '../../resources/types/admissionregistration.ts'
import type { CustomResourceDefinition } from '../../resources/types/apiextensions.ts'
import { sketch } from '../frame/sketch.double.ts'
import { planStatus, typeWarnings } from './plan.ts'
import { policyTypes } from './types.ts'

const widgets: CustomResourceDefinition = sketch({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } },
        },
      },
    ],
  },
})
const types = policyTypes(() => [widgets])
const rule = (group: string, version: string, ...resources: string[]) => ({ apiGroups: [group], apiVersions: [version], resources })
const about = (expression: string, ...resourceRules: object[]) => ({ matchConstraints: { resourceRules }, validations: [{ expression }] })

test('an expression that fits no type has a warning for each of them', () => {
  assert.deepEqual(typeWarnings(about('object.spec.nope > 1', rule('apps', 'v1', 'deployments', 'statefulsets')), types), [
    {
      fieldRef: 'spec.validations[0].expression',
      warning:
        "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'nope'\n | object.spec.nope > 1\n | ...........^\n" +
        "\napps/v1, Kind=StatefulSet: ERROR: <input>:1:12: undefined field 'nope'\n | object.spec.nope > 1\n | ...........^\n",
    },
  ])
})

test('what fits has no warnings', () => {
  const fits = (expression: string, ...rules: object[]) => assert.deepEqual(typeWarnings(about(expression, ...rules), types), [])
  fits('object.spec.replicas > 1 && oldObject.metadata.name != ""', rule('apps', 'v1', 'deployments'))
  fits('object.spec.containers.all(c, c.image.startsWith("x"))', rule('', 'v1', 'pods'))
  fits('object.spec.size > 1 && request.name == object.metadata.name', rule('example.com', 'v1', 'widgets'))
  // Wildcards, subresources and unknown types are not checked.
  fits('object.nope', rule('*', 'v1', 'pods'), rule('', 'v1', '*'), rule('', 'v1', 'pods/status'), rule('nope.dev', 'v1', 'nopes'))
})

test('the type check does not know authorizer.requestResource, as in Kubernetes', () => {
  const expression = 'authorizer.requestResource.check("get").allowed()'
  assert.deepEqual(
    typeWarnings(about(expression, rule('apps', 'v1', 'deployments')), types).map(({ warning }) => warning),
    [
      "apps/v1, Kind=Deployment: ERROR: <input>:1:11: unexpected failed resolution of 'kubernetes.authorization.Authorizer'\n" +
        ` | ${expression}\n | ..........^\n`,
    ],
  )
  assert.deepEqual(typeWarnings(about('authorizer.path("/x").check("get").allowed()', rule('apps', 'v1', 'deployments')), types), [])
})

test('custom resources, message expressions, variables and parameters are checked, too', () => {
  const spec = {
    ...about('variables.big && params.data.max != ""', rule('example.com', 'v1', 'widgets')),
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    variables: [{ name: 'big', expression: 'object.spec.size > 100' }],
  }
  assert.deepEqual(typeWarnings(spec, types), [])
  const [warning] = typeWarnings(
    { ...spec, validations: [{ expression: 'true', messageExpression: 'string(variables.big) + params.spec' }] },
    types,
  )
  assert.equal(warning?.fieldRef, 'spec.validations[0].messageExpression')
  assert.match(warning?.warning ?? '', /^example.com\/v1, Kind=Widget: ERROR: <input>:1:31: undefined field 'spec'/)
})

test('a status is written once for each generation', () => {
  const policy: ValidatingAdmissionPolicy = sketch({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p', generation: 2 },
    spec: about('true', rule('', 'v1', 'pods')),
  })
  assert.deepEqual(planStatus({ ...policy, status: { observedGeneration: 1 } }, types), { observedGeneration: 2, typeChecking: {} })
  assert.equal(planStatus({ ...policy, status: { observedGeneration: 2 } }, types), undefined)
})
