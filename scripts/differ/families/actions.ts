import type { Json, JsonObject } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import type { Draw } from '../draw.ts'
import { withOptions } from '../subject.ts'

const PODS = '/api/v1/namespaces/{ns}/pods'
const DRY = { dryRun: ['All', 'All', 'x'], fieldValidation: ['Strict', 'Warn', 'x'], fieldManager: ['m', 'm/n'] }

/** The attributes of a review; members are left out at random. */
const RESOURCE: Readonly<Record<string, readonly Json[]>> = {
  namespace: ['{ns}', ''],
  verb: ['get', 'list', '*', ''],
  group: ['', 'apps', '*'],
  resource: ['pods', 'secrets', 'nodes', '*', ''],
  subresource: ['log', 'status'],
  name: ['a', ''],
  fieldSelector: [{ rawSelector: 'a=b' }, { requirements: [{ key: 'a', operator: 'In', values: ['b'] }] }, { requirements: [{}] }, {}],
  labelSelector: [{ rawSelector: 'a in (b)' }, { requirements: [{ key: 'a', operator: 'Exists' }] }, { rawSelector: '=' }],
}
const SUBJECT: Readonly<Record<string, readonly Json[]>> = {
  user: ['alice', 'system:admin', ''],
  groups: [['system:masters'], ['developers'], []],
  extra: [{ a: ['b'] }, {}],
  uid: ['u'],
  nonResourceAttributes: [{ path: '/healthz', verb: 'get' }, { path: '/metrics' }, {}, null],
}
const EVICTION: Readonly<Record<string, readonly Json[]>> = {
  apiVersion: ['policy/v1', 'policy/v1', 'policy/v1beta1', 'v1', 'apps/v1'],
  kind: ['Eviction', 'Eviction', 'Pod', ''],
  metadata: [{ name: 'a' }, { name: 'a', namespace: '{ns}' }, { name: 'b' }, {}],
  deleteOptions: [
    { gracePeriodSeconds: 0 },
    { preconditions: { uid: 'u' } },
    { preconditions: { resourceVersion: '1' } },
    { dryRun: ['All'] },
    { kind: 'DeleteOptions', apiVersion: 'policy/v1', gracePeriodSeconds: -1 },
    { propagationPolicy: 'x' },
    null,
  ],
}
const BINDING: Readonly<Record<string, readonly Json[]>> = {
  apiVersion: ['v1', 'v1', 'v1', 'apps/v1'],
  kind: ['Binding', 'Binding', 'Binding', 'Pod'],
  metadata: [{ name: 'a' }, { name: 'a', annotations: { x: 'y' }, labels: { a: 'b' } }, { name: 'b' }, { name: 'a', uid: 'u' }, {}],
  target: [{ kind: 'Node', name: 'n' }, { name: 'n' }, { kind: 'Pod', name: 'n' }, { kind: 'Node', name: 'A b' }, { kind: 'Node' }, {}],
}
const TOKEN: Readonly<Record<string, readonly Json[]>> = {
  audiences: [['a'], ['a', 'b'], [], [''], null],
  expirationSeconds: [600, 599, 3600, 4294967297, 0, -1, null],
  boundObjectRef: [
    { kind: 'Pod', apiVersion: 'v1', name: 'a' },
    { kind: 'Pod', apiVersion: 'v1', name: 'nothing' },
    { kind: 'Secret', apiVersion: 'v1', name: 'nothing' },
    { kind: 'Pod', apiVersion: 'v1', name: 'a', uid: 'u' },
    { kind: 'ConfigMap', apiVersion: 'v1', name: 'a' },
    {},
    null,
  ],
}

const post = (draw: Draw, path: string, body: JsonObject): Step => ({ do: 'POST', path: withOptions(draw, path, DRY, 0.15), body })

function review(draw: Draw): Step {
  const kind =
    draw.pick(['SubjectAccessReview', 'SelfSubjectAccessReview', 'LocalSubjectAccessReview', 'SelfSubjectRulesReview']) ??
    'SubjectAccessReview'
  const place = kind === 'LocalSubjectAccessReview' ? '/namespaces/{ns}' : ''
  const spec = kind === 'SelfSubjectRulesReview' ? { namespace: draw.pick(['{ns}', '']) ?? '' } : draw.members(SUBJECT, 0.3)
  if (kind !== 'SelfSubjectRulesReview' && draw.chance(0.7)) Object.assign(spec, { resourceAttributes: draw.members(RESOURCE, 0.6) })
  const metadata = draw.chance(0.15) ? { metadata: { name: 'a', labels: { a: 'b' } } } : {}
  return post(draw, `/apis/authorization.k8s.io/v1${place}/${kind.toLowerCase()}s`, {
    apiVersion: 'authorization.k8s.io/v1',
    kind,
    ...metadata,
    ...(draw.chance(0.93) && { spec }),
  })
}

const token = (draw: Draw): Step => {
  const identity = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' }
  const account = draw.pick(['a', 'a', 'a', 'missing']) ?? 'a'
  // A dry run, so that no token is in the answer.
  const path = `/api/v1/namespaces/{ns}/serviceaccounts/${account}/token?dryRun=All`
  return post(draw, path, {
    ...identity,
    ...draw.members({ metadata: [{ name: 'a' }, { name: 'b' }] }, 0.2),
    spec: draw.members(TOKEN, 0.5),
  })
}

const actionOn = (draw: Draw, name: string, members: Readonly<Record<string, readonly Json[]>>): Step => {
  const pod = draw.pick(['a', 'a', 'a', 'missing']) ?? 'a'
  return post(draw, `${PODS}/${pod}/${name}`, draw.members(members, 0.85))
}

/** A pod and a service account, and what is asked of them by subresources that are no objects; reviews of access. */
export function actions({ draw }: { readonly draw: Draw }): Step[] {
  const labels = { app: 'web' }
  const budget = { metadata: { name: 'b' }, spec: { minAvailable: draw.pick([0, 1, '50%']) ?? 1, selector: { matchLabels: labels } } }
  return [
    { do: 'POST', path: '/api/v1/namespaces/{ns}/serviceaccounts', body: { metadata: { name: 'a' } } },
    { do: 'POST', path: PODS, body: { metadata: { name: 'a', labels }, spec: { containers: [{ name: 'main', image: 'x' }] } } },
    ...(draw.chance(0.5) ? [post(draw, '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets', budget)] : []),
    ...draw.several(4, 7, (): Step => {
      const kind = draw.pick(['review', 'review', 'token', 'binding', 'eviction'])
      if (kind === 'review') return review(draw)
      if (kind === 'token') return token(draw)
      return kind === 'binding' ? actionOn(draw, 'binding', BINDING) : actionOn(draw, 'eviction', EVICTION)
    }),
    { do: 'GET', path: `${PODS}/a` },
  ]
}
