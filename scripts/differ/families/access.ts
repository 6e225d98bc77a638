import type { Json, JsonObject } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import type { Draw } from '../draw.ts'
import type { Subject } from '../subject.ts'

const API = 'rbac.authorization.k8s.io'
const WIDE = `/apis/${API}/v1`
const OWN = `${WIDE}/namespaces/{ns}`
const NAMESPACE = '/api/v1/namespaces/{ns}'

/** Roles and bindings are drawn for the users of the case; then they ask, and hand on what they have, and more. */
export function access({ draw }: Subject): Step[] {
  return [
    ...draw.several(2, 4, () => create(draw, draw.pick([role, role, binding, binding, binding]))),
    ...draw.several(8, 12, () => ({ ...attempt(draw), as: draw.pick(USERS) })),
  ]
}

const ALICE = '{ns}-alice'
const USERS: readonly [NonNullable<Step['as']>, ...NonNullable<Step['as']>[]] = [
  ALICE,
  ALICE,
  ALICE,
  { user: '{ns}-bob', groups: ['{ns}-team'] },
  { user: '{ns}-bob', groups: ['{ns}-team', 'system:authenticated'] },
  { user: 'system:serviceaccount:{ns}:default', groups: ['system:serviceaccounts', 'system:serviceaccounts:{ns}'] },
]
const SUBJECTS: readonly [JsonObject, ...JsonObject[]] = [
  { apiGroup: API, kind: 'User', name: ALICE },
  { apiGroup: API, kind: 'Group', name: '{ns}-team' },
  { kind: 'ServiceAccount', name: 'default', namespace: '{ns}' },
  { kind: 'User', name: ALICE },
  { apiGroup: API, kind: 'Robot', name: 'a' },
  { kind: 'ServiceAccount', name: 'A_b' },
]

/** An object, and its collection. */
type Made = readonly [collection: string, object: JsonObject]

const create = (draw: Draw, make: (draw: Draw) => Made, query = ''): Step => {
  const [path, body] = make(draw)
  return { do: 'POST', path: `${path}${query}`, body }
}

const NAMES: readonly [string, ...string[]] = ['{ns}-a', '{ns}-b', '{ns}:c']

function role(draw: Draw): Made {
  const wide = draw.chance(0.4)
  const rules = draw.several(1, 3, () => ruleOf(draw, wide))
  return [wide ? `${WIDE}/clusterroles` : `${OWN}/roles`, { metadata: { name: draw.pick(NAMES) }, rules }]
}

const ruleOf = (draw: Draw, wide: boolean): JsonObject =>
  wide && draw.chance(0.2)
    ? { verbs: draw.pick<Json>([['get'], ['*']]), nonResourceURLs: draw.pick<Json>([['/metrics'], ['/x/*'], ['*'], ['x*']]) }
    : {
        verbs: draw.pick<Json>([
          ['get', 'list'],
          ['create', 'get'],
          ['*'],
          ['bind'],
          ['escalate', 'create'],
          ['update', 'patch'],
          ['impersonate'],
          [],
        ]),
        apiGroups: draw.pick<Json>([[''], [''], ['apps', ''], ['*'], [API], [API]]),
        resources: draw.pick<Json>([
          ...[['pods'], ['pods', 'pods/log'], ['*'], ['pods/*'], ['*/scale'], ['secrets', 'configmaps'], ['roles', 'rolebindings']],
          ...[
            ['clusterroles', 'clusterrolebindings'],
            ['users', 'groups'],
            ['rolebindings', 'clusterroles', 'roles'],
          ],
        ]),
        ...draw.members({ resourceNames: [['a'], ['{ns}-a'], ['a', 'b'], ['{ns}-a', 'view'], []] }, 0.25),
      }

function binding(draw: Draw): Made {
  const wide = draw.chance(0.3)
  const kind = wide ? 'ClusterRole' : draw.pick(['Role', 'ClusterRole'])
  const name =
    draw.chance(0.3) && kind === 'ClusterRole' ? draw.pick(['view', 'edit', 'admin', 'cluster-admin', 'system:node']) : draw.pick(NAMES)
  return [
    wide ? `${WIDE}/clusterrolebindings` : `${OWN}/rolebindings`,
    { metadata: { name: draw.pick(NAMES) }, roleRef: { apiGroup: API, kind, name }, subjects: draw.some(SUBJECTS, 0.4) },
  ]
}

function attempt(draw: Draw): Step {
  const name = draw.pick(NAMES)
  const dry = '?dryRun=All'
  switch (
    draw.pick(['role', 'role', 'role', 'binding', 'binding', 'binding', 'grow', 'apply', 'read', 'read', 'read', 'review', 'mine', 'page'])
  ) {
    case 'role':
      return create(draw, role, draw.pick([dry, '']))
    case 'binding':
      return create(draw, binding, draw.pick([dry, '']))
    case 'grow': {
      const [collection, body] = draw.pick([role, binding])(draw)
      return { do: draw.pick(['PUT', 'PATCH']), path: `${collection}/${name}`, body: { ...body, metadata: { name } } }
    }
    case 'apply': {
      const [collection, body] = role(draw)
      const identity = { apiVersion: `${API}/v1`, kind: collection.endsWith('clusterroles') ? 'ClusterRole' : 'Role' }
      const headers = { 'content-type': 'application/apply-patch+yaml' }
      return { do: 'PATCH', path: `${collection}/${name}?fieldManager=m`, headers, body: { ...identity, ...body, metadata: { name } } }
    }
    case 'review':
      return {
        do: 'POST',
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: {
          spec: {
            resourceAttributes: {
              ...draw.members({ group: ['', 'apps', API], name: ['a', '{ns}-a'], subresource: ['log', 'scale'] }, 0.5),
              namespace: '{ns}',
              verb: draw.pick(['get', 'create', 'bind', 'escalate', '*']),
              resource: draw.pick(['pods', 'secrets', 'roles', 'clusterroles', '*']),
            },
          },
        },
      }
    case 'mine':
      return { do: 'POST', path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', body: { spec: { namespace: '{ns}' } } }
    case 'page':
      return { do: 'GET', path: draw.pick(['/metrics/x', '/x/y', '/healthz', '/api/v1', '/openapi/v2/x', '/']) }
    default:
      return draw.pick<Step>([
        { do: 'GET', path: `${NAMESPACE}/pods` },
        { do: 'GET', path: `${NAMESPACE}/pods/a` },
        { do: 'GET', path: `${NAMESPACE}/pods/a/log` },
        { do: 'GET', path: `${NAMESPACE}/secrets?fieldSelector=metadata.name=a` },
        { do: 'GET', path: `${NAMESPACE}/configmaps?watch=1&timeoutSeconds=0&resourceVersion=x` },
        { do: 'GET', path: `${OWN}/roles/${name}` },
        { do: 'GET', path: `${WIDE}/clusterroles/${name}` },
        { do: 'DELETE', path: `${OWN}/rolebindings/${name}` },
        { do: 'DELETE', path: `${NAMESPACE}/pods` },
        { do: 'PATCH', path: `/apis/apps/v1/namespaces/{ns}/deployments/a/scale`, body: { spec: { replicas: 1 } } },
        { do: 'POST', path: `${NAMESPACE}/pods?dryRun=All`, body: {} },
        { do: 'GET', path: '/api/v1/nodes/a' },
        { do: 'GET', path: '/api/v1/namespaces/{ns}' },
      ])
  }
}
