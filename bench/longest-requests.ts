/**
 * `node bench/longest-requests.ts [FILTER…] [--profile]`: requests that are no single list of a built-in type, each as heavy as it may be
 * (pods that defaults make larger, definitions and their first objects, many definitions at once, patches of webhooks, logs, thousands of
 * Services, of connections), sent to a server of its own; prints the longest turns of the event loop that each caused, in milliseconds of
 * CPU time.
 */

import { once } from 'node:events'
import tls from 'node:tls'
import { parseArgs } from 'node:util'
import { type Api, type ApiResponse, readKubeconfig } from './api.ts'
import { HEAVY_KINDS } from './hostile/heavy-kinds.ts'
import { patchingWebhook } from './hostile/patching-webhook.ts'
import { members, times } from './hostile/type-fields.ts'
import { wait } from './measured-cluster.ts'
import { TurnProbe } from './turn-probe.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { profile: { type: 'boolean', default: false } } })
const isWanted = (what: string) => positionals.length === 0 || positionals.some((filter) => what.includes(filter))

const PODS = '/api/v1/namespaces/default/pods'
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

const pod = (spec: object, name = 'a') =>
  JSON.stringify({ metadata: { name }, spec: { containers: [{ name: 'a', image: 'a' }], schedulerName: 'none', ...spec } })

function definition(group: string, plural: string, properties: object, columns?: readonly object[]): string {
  const kind = kindOf(plural)
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } }
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: plural, kind, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema, additionalPrinterColumns: columns }],
    },
  })
}

const kindOf = (plural: string) => `${plural.slice(0, 1).toUpperCase()}${plural.slice(1)}`

/** Sends all, some at a time; the last answer. */
async function all(requests: readonly (() => Promise<ApiResponse>)[]): Promise<ApiResponse> {
  let last: ApiResponse | undefined
  for (let at = 0; at < requests.length; at += 20)
    for (const answer of await Promise.all(requests.slice(at, at + 20).map((send) => send()))) last = answer
  if (last === undefined) throw new Error('nothing was sent')
  return last
}

await using webhook = await patchingWebhook()

/** A config map that the webhook makes large. */
async function patched(api: Api, name: string, patch: typeof webhook.patch): Promise<ApiResponse> {
  webhook.patch = patch
  return api.request('POST', '/api/v1/namespaces/default/configmaps', JSON.stringify({ metadata: { name }, data: {} }))
}

/** Waits for a container of one long line, and reads it. */
async function longLine(api: Api): Promise<ApiResponse> {
  const script = 'head -c 9000000 /dev/zero | tr "\\0" a; echo'
  await api.request('POST', PODS, pod({ schedulerName: 'default-scheduler', restartPolicy: 'Never', containers: [shell(script)] }, 'line'))
  for (;;) {
    const { body } = await api.request('GET', `${PODS}/line`)
    if (/"phase":"(Succeeded|Failed)"/.test(body.toString())) break
    await wait(100)
  }
  return api.request('GET', `${PODS}/line/log?timestamps=true`)
}

const shell = (script: string) => ({ name: 'a', image: 'busybox', command: ['sh', '-c', script] })

/** Opens TLS connections, all at once, and leaves them silent; another client is answered meanwhile. */
async function connections(api: Api, kubeconfig: string, count: number): Promise<ApiResponse> {
  const { server, ca } = readKubeconfig(kubeconfig)
  const { hostname: host, port } = new URL(server)
  const sockets = times(count, () => tls.connect({ host, port: Number(port), ...(ca && { ca }) }).on('error', () => {}))
  try {
    // On a loaded machine some handshakes take longer than the server waits.
    await Promise.allSettled(sockets.map((socket) => once(socket, 'secureConnect')))
    return await api.request('GET', '/version')
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

const service = (i: number) =>
  JSON.stringify({ metadata: { name: `s${i}` }, spec: { clusterIP: 'None', selector: { app: `a${i}` }, ports: [{ port: 80 }] } })
const SERVICES = '/api/v1/namespaces/default/services'

const NAMESPACED = '/api/v1/namespaces/default'

/** Applies a config map of 50,000 values. */
const applied = (api: Api, manager: string, value: string): Promise<ApiResponse> => {
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: members(50_000, () => value) }
  return api.request(
    'PATCH',
    `${NAMESPACED}/configmaps/applied?fieldManager=${manager}`,
    JSON.stringify(map),
    'application/apply-patch+yaml',
  )
}

const quota = (count: number) =>
  JSON.stringify({ metadata: { name: 'long' }, spec: { hard: Object.fromEntries(times(count, (i) => [`requests.a.example/k${i}`, '5'])) } })

const MANY_GROUPS = 1000

/** A config map whose managed fields name that many paths. */
const managedMap = (count: number) =>
  JSON.stringify({
    metadata: {
      name: 'managed',
      managedFields: [
        {
          manager: 'a',
          operation: 'Update',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          time: '2020-01-01T00:00:00Z',
          fieldsV1: { 'f:data': Object.fromEntries(times(count, (i) => [`f:k${i}`, {}])) },
        },
      ],
    },
  })

type Send = (api: Api, kubeconfig: string) => Promise<ApiResponse>

/** In this order: later cases use what earlier ones have made. */
const CASES: Readonly<Record<string, Send>> = {
  'a pod of 100,000 empty containers': (api) => api.request('POST', PODS, pod({ containers: times(100_000, () => ({})) })),
  'a pod with 60,000 limits': (api) =>
    api.request('POST', PODS, pod({ containers: [{ name: 'a', image: 'a', resources: { limits: members(60_000, () => '1') } }] })),
  'a pod with 90,000 tolerations': (api) => api.request('POST', PODS, pod({ tolerations: times(90_000, (i) => ({ key: `k${i}` })) })),
  'a pod of 30,000 containers': (api) =>
    api.request('POST', PODS, pod({ containers: times(30_000, (i) => ({ name: `c${i}`, image: 'a' })) })),
  'a webhook that is asked for every config map': (api) =>
    api.request('POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', webhook.configuration),
  'a patch of 100,000 operations by a webhook': (api) =>
    patched(
      api,
      'operations',
      times(100_000, (i) => ({ op: 'add', path: `/metadata/annotations`, value: { a: `${i}` } })),
    ),
  'a patch with 60,000 values by a webhook': (api) =>
    patched(api, 'values', [{ op: 'add', path: '/data', value: members(60_000, (i) => `${i}`) }]),
  'a patch of 3 MB by a webhook': (api) => patched(api, 'long', [{ op: 'add', path: '/data', value: { a: 'a'.repeat(3_000_000) } }]),
  'a log of one line of 9 MB': longLine,
  // Without addresses of their own: the default range has 254.
  '3,000 Services': (api) => all(times(3000, (i) => () => api.request('POST', SERVICES, service(i)))),
  '500 pods that see 3,000 Services': (api) => all(times(500, (i) => () => api.request('POST', PODS, pod({}, `seeing-${i}`)))),
  '2,000 TLS connections at once': (api, kubeconfig) => connections(api, kubeconfig, 2000),
  'an apply of 50,000 values': (api) => applied(api, 'a', 'v'),
  'an apply that changes them': (api) => applied(api, 'a', 'w'),
  'an apply that conflicts with them': (api) => applied(api, 'b', 'x'),
  'a quota of 20,000 names': (api) => api.request('POST', `${NAMESPACED}/resourcequotas`, quota(20_000)),
  'a pod under the quota': (api) => api.request('POST', PODS, pod({}, 'counted')),
  'the pod deleted': (api) => api.request('DELETE', `${PODS}/counted?gracePeriodSeconds=0`),
  'the quota deleted': (api) => api.request('DELETE', `${NAMESPACED}/resourcequotas/long`),
  'a definition of 30,000 properties': (api) =>
    api.request(
      'POST',
      CRDS,
      definition(
        'big.example',
        'bigs',
        members(30_000, () => ({ type: 'string' })),
      ),
    ),
  'its first object': async (api) => {
    await wait(3000)
    return api.request('POST', '/apis/big.example/v1/namespaces/default/bigs', custom('big.example', 'Bigs', { k1: 'a' }))
  },
  'an object with all its properties': (api) =>
    api.request(
      'POST',
      '/apis/big.example/v1/namespaces/default/bigs',
      custom(
        'big.example',
        'Bigs',
        members(30_000, () => 'a'),
        'b',
      ),
    ),
  'OpenAPI of the definition': (api) => api.request('GET', '/openapi/v3/apis/big.example/v1'),
  'managed fields of 100,000 paths': (api) => api.request('POST', `${NAMESPACED}/configmaps`, managedMap(100_000)),
  ...heavyKindCases(),
  [`${MANY_GROUPS} definitions`]: (api) =>
    all(times(MANY_GROUPS, (i) => () => api.request('POST', CRDS, definition(`g${i}.example`, 'things', {})))),
  'aggregated discovery of all groups': (api) =>
    api.request('GET', '/apis', undefined, undefined, 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'),
  'the list of all groups': (api) => api.request('GET', '/apis'),
  'OpenAPI v2 of all groups': (api) => api.request('GET', '/openapi/v2'),
  'OpenAPI v3, the index': (api) => api.request('GET', '/openapi/v3'),
  'the table of definitions': (api) => api.request('GET', CRDS, undefined, undefined, TABLE),
  [`${MANY_GROUPS} definitions deleted`]: async (api) => {
    const answer = await api.request('DELETE', CRDS)
    await wait(8000)
    return answer
  },
}

/** What may be done with an object of each heavy kind. */
function heavyKindCases(): Record<string, Send> {
  const cases: Record<string, Send> = {}
  for (const [i, { what, properties, columns, spec }] of HEAVY_KINDS.entries()) {
    const [group, plural] = ['heavy.example', `kind${i}s`]
    const path = `/apis/${group}/v1/namespaces/default/${plural}`
    const object = custom(group, kindOf(plural), spec)
    cases[`${what}: the definition`] = (api) => api.request('POST', CRDS, definition(group, plural, properties, columns))
    cases[`${what}: an object`] = async (api) => {
      await wait(1500)
      return api.request('POST', path, object)
    }
    cases[`${what}: labelled`] = (api) =>
      api.request('PATCH', `${path}/a`, JSON.stringify({ metadata: { labels: { a: 'b' } } }), 'application/merge-patch+json')
    cases[`${what}: applied`] = (api) => api.request('PATCH', `${path}/a?fieldManager=a&force=true`, object, 'application/apply-patch+yaml')
    cases[`${what}: many objects`] = (api) => {
      const small = (name: string) => custom(group, kindOf(plural), {}, name)
      return all(times(300, (n) => () => api.request('POST', path, small(`o${n}`))))
    }
    cases[`${what}: the table`] = (api) => api.request('GET', path, undefined, undefined, TABLE)
    cases[`${what}: a watch of the table`] = (api) => api.request('GET', `${path}?watch=1&timeoutSeconds=3`, undefined, undefined, TABLE)
    cases[`${what}: the definition deleted`] = (api) => api.request('DELETE', `${CRDS}/${plural}.${group}`)
  }
  return cases
}

function custom(group: string, kind: string, spec: object, name = 'a'): string {
  return JSON.stringify({ apiVersion: `${group}/v1`, kind, metadata: { name }, spec })
}

await using probe = new TurnProbe({ profile: values.profile })
for (const [what, send] of Object.entries(CASES)) {
  if (!isWanted(what)) continue
  const { turns, answer } = await probe.measure(what, send)
  const shown = answer === undefined ? 'no answer' : `${answer.status} ${answer.body.toString('utf8', 0, 60).replaceAll('\n', ' ')}`
  console.log(`${(turns[0] ?? 0).toFixed(1).padStart(7)} ${what}: ${turns.slice(1, 5).map(Math.round)} (${shown})`)
}
