/**
 * Input of hostile clients: the server responds with a 4xx or closes the connection, stores nothing of it, and continues to serve others.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import https from 'node:https'
import { after, before, test } from 'node:test'
import tls from 'node:tls'
import fc from 'fast-check'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { wrapMessage } from '../../src/machinery/protobuf/envelope.ts'
import { CONFIG_MAPS, SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

/** Another seed and more runs find more: BOWSPRIT_FUZZ_SEED=7 BOWSPRIT_FUZZ_RUNS=20000. */
const SEED = Number(process.env.BOWSPRIT_FUZZ_SEED ?? 20_260_301)
let cluster: Cluster
let access: { readonly host: string; readonly port: number; readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer }
let agent: https.Agent

before(async () => {
  cluster = await startCluster({ parts: ['server'] })
  const address = new URL(await cluster.listen())
  const kubeconfig = cluster.kubeconfig()
  const data = (name: string) => Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64')
  access = {
    host: address.hostname,
    port: Number(address.port),
    ca: data('certificate-authority'),
    cert: data('client-certificate'),
    key: data('client-key'),
  }
  // Pods need their service account, and no controller creates it here.
  await cluster
    .client()
    .create({ ...SERVICE_ACCOUNTS, namespace: 'default' }, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } })
  agent = new https.Agent({ ...access, keepAlive: true, maxSockets: 16 })
})
after(async () => {
  agent.destroy()
  await cluster[Symbol.asyncDispose]()
})

interface Answer {
  readonly code: number
  readonly text: string
}

/** Sends one request; resolves with the response, whatever its status. */
function send(method: string, url: string, body?: string | Uint8Array, type = 'application/json'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }
    const request = https.request({ agent, host: access.host, port: access.port, method, path: url, headers }, async (response) => {
      let text = ''
      try {
        for await (const part of response) text += String(part)
      } catch (error) {
        if (text === '') reject(error)
      }
      resolve({ code: response.statusCode ?? 0, text })
    })
    request.on('error', reject)
    request.end(body)
  })
}

const MAPS = '/api/v1/namespaces/default/configmaps'
const stored = async () => (await cluster.client().list(CONFIG_MAPS)).items.length
const text = (value: unknown) => JSON.stringify(value)

/** Client errors for which Kubernetes returns 500 too, as recorded. */
const AS_KUBERNETES = /"message":"failed to (create typed patch|convert new) object/

/** The response has to be a Status with a client error (or a success if that is allowed), never a 5xx. */
function assertClientFault(answer: Answer, allowed: readonly number[] = []): void {
  if (allowed.includes(answer.code)) return
  if (answer.code === 500 && AS_KUBERNETES.test(answer.text)) return
  assert.ok(answer.code >= 400 && answer.code < 500, `${answer.code}: ${answer.text.slice(0, 300)}`)
  assert.equal(JSON.parse(answer.text).kind, 'Status')
}

/** The same over HTTP/2. */
function send2(
  session: http2.ClientHttp2Session,
  method: string,
  url: string,
  body: string,
): Promise<Answer & { readonly warnings: readonly string[] }> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': method, ':path': url, 'content-type': 'application/json' })
    let code = 0
    let text = ''
    let warnings: readonly string[] = []
    stream.on('response', (headers) => {
      code = Number(headers[':status'])
      warnings = [headers.warning ?? []].flat()
    })
    stream.on('data', (part) => {
      text += String(part)
    })
    stream.on('error', reject)
    stream.on('close', () => resolve({ code, text, warnings }))
    stream.end(body)
  })
}

test('unknown fields of any script and length cause warnings, over both versions of HTTP', async () => {
  const session = http2.connect(`https://${access.host}:${access.port}`, { ...access })
  session.on('error', () => {})
  const key = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
    fc.constantFrom('ключ', '日本', 'a\u0007\u0000', 'a\r\nX-Evil: 1', '\ud800', '"', '\\'),
    fc.constant('長'.repeat(5000)),
  )
  const property = fc.asyncProperty(fc.uniqueArray(key, { minLength: 1, maxLength: 200 }), async (keys) => {
    const body = JSON.stringify({ metadata: { name: 'w' }, ...Object.fromEntries(keys.map((k) => [`x${k}`, 1])) })
    assert.equal((await send('POST', `${MAPS}?dryRun=All`, body)).code, 201)
    const over2 = await send2(session, 'POST', `${MAPS}?dryRun=All`, body)
    assert.equal(over2.code, 201)
    for (const warning of over2.warnings) assert.match(Buffer.from(warning, 'latin1').toString(), /^299 - "unknown field/)
  })
  await fc.assert(property, { seed: SEED, numRuns: 60 })
  const { warnings } = await send2(session, 'POST', `${MAPS}?dryRun=All`, '{"metadata":{"name":"w"},"日本":1}')
  assert.deepEqual(
    warnings.map((w) => Buffer.from(w, 'latin1').toString()),
    ['299 - "unknown field \\"日本\\""'],
  )
  session.destroy()
})

test('bodies that are no object are refused, whatever bytes they are', async () => {
  const before = await stored()
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.json().map((j) => Buffer.from(j)),
    fc.string().map((s) => Buffer.from(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${s}"},"data":[`)),
    fc.uint8Array({ maxLength: 300 }).map((rest) => Buffer.concat([Buffer.from('k8s\0'), rest])),
  )
  const types = fc.constantFrom('application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'text/plain', '', 'a/b;c=')
  const property = fc.asyncProperty(bytes, types, async (body, type) => assertClientFault(await send('POST', MAPS, body, type)))
  await fc.assert(property, { seed: SEED, numRuns: 400 })
  assert.equal(await stored(), before)
})

test('objects of any shape are stored as they are or refused with their faults', async () => {
  const value = fc.jsonValue({ maxDepth: 3 })
  const strange = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'name', 'labels', 'annotations', 'finalizers', 'uid')
  const metadata = fc.dictionary(fc.oneof(strange, fc.string()), value, { noNullPrototype: true })
  const property = fc.asyncProperty(metadata, value, fc.constantFrom('pods', 'configmaps', 'services'), async (meta, spec, resource) => {
    const kind = { pods: 'Pod', configmaps: 'ConfigMap', services: 'Service' }[resource]
    const body = text({ apiVersion: 'v1', kind, metadata: { name: 'a', ...meta }, spec, data: spec, status: spec })
    assertClientFault(await send('POST', `/api/v1/namespaces/default/${resource}?dryRun=All`, body), [201])
  })
  await fc.assert(property, { seed: SEED, numRuns: 400 })
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
})

test('whole objects with one or two values replaced by anything are stored or refused with their faults', async () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>(-1, 0, 2 ** 53, '', ' ', '\u0000', '9'.repeat(40), '1e999999999', '__proto__', [], {}, [null], [{}], null),
    fc.constantFrom('(', '(a+)+$', '{{', '$(', '0x1', '::', '1.2.3.4/99', '٣', '\ud800', 'a'.repeat(300)),
  )
  const change = fc.record({ at: fc.array(fc.nat(30), { minLength: 1, maxLength: 9 }), value })
  const how = fc.constantFrom('POST', 'PUT', 'apply', 'strategic', 'merge')
  const property = fc.asyncProperty(
    fc.constantFrom(...WHOLE),
    fc.array(change, { minLength: 1, maxLength: 2 }),
    how,
    async (of, changes, method) => {
      const object = structuredClone(of.object)
      for (const { at, value: put } of changes) replaceAt(object, at, structuredClone(put))
      const one = `${of.path}/${of.object.metadata.name}?dryRun=All&fieldManager=fuzz&force=true`
      const body = text(object)
      const answer =
        method === 'POST'
          ? await send('POST', `${of.path}?dryRun=All`, body)
          : method === 'PUT'
            ? await send('PUT', `${of.path}/${of.object.metadata.name}?dryRun=All`, body)
            : await send(
                'PATCH',
                one,
                body,
                `application/${{ apply: 'apply-patch+yaml', strategic: 'strategic-merge-patch+json', merge: 'merge-patch+json' }[method]}`,
              )
      assertClientFault(answer, [200, 201])
    },
  )
  for (const { path, object } of WHOLE) {
    const made = await send('POST', path, text(object))
    assert.equal(made.code, 201, made.text)
  }
  const before = await Promise.all(WHOLE.map(({ path, object }) => send('GET', `${path}/${object.metadata.name}`)))
  await fc.assert(property, { seed: SEED, numRuns: Number(process.env.BOWSPRIT_FUZZ_RUNS ?? 1500) })
  // A definition's status changes by itself.
  const now = await Promise.all(WHOLE.map(({ path, object }) => send('GET', `${path}/${object.metadata.name}`)))
  for (const [i, { object }] of WHOLE.entries()) if (object.kind !== 'CustomResourceDefinition') assert.equal(now[i]?.text, before[i]?.text)
})

/** Replaces the value at the path that takes the n-th key of each level (modulo their number). */
function replaceAt(object: unknown, [first = 0, ...rest]: readonly number[], value: unknown): void {
  if (object === null || typeof object !== 'object') return
  const keys = Object.keys(object)
  const key = keys[first % keys.length]
  if (key === undefined) return
  const inside: unknown = Reflect.get(object, key)
  if (rest.length === 0 || inside === null || typeof inside !== 'object') Reflect.set(object, key, value)
  else replaceAt(inside, rest, value)
}

const TEMPLATE = {
  metadata: { labels: { app: 'fuzz' }, annotations: { 'a.example.com/b': 'c' } },
  spec: {
    initContainers: [
      { name: 'first', image: 'app', restartPolicy: 'Always', startupProbe: { exec: { command: ['true'] }, periodSeconds: 3 } },
    ],
    containers: [
      {
        name: 'main',
        image: 'app:1',
        ports: [{ containerPort: 80, hostPort: 0, protocol: 'TCP', name: 'http' }],
        env: [
          { name: 'A', value: '$(B)' },
          { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'D', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
        ],
        resources: { requests: { cpu: '100m', memory: '1Gi', 'example.com/dongle': '2' }, limits: { cpu: '1', 'example.com/dongle': '2' } },
        livenessProbe: { httpGet: { path: '/', port: 'http', httpHeaders: [{ name: 'X-A', value: 'b' }] } },
        lifecycle: { preStop: { sleep: { seconds: 1 } } },
        volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a' }],
        securityContext: { capabilities: { add: ['NET_ADMIN'] }, seccompProfile: { type: 'RuntimeDefault' }, runAsUser: 1 },
      },
    ],
    volumes: [
      { name: 'v', emptyDir: { sizeLimit: '1Gi' } },
      { name: 'p', projected: { sources: [{ downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.labels' } }] } }] } },
    ],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] }],
        },
      },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a', labelSelector: { matchLabels: { a: 'b' } } }],
      },
    },
    tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3 }],
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { a: 'b' } } },
    ],
    hostAliases: [{ ip: '192.0.2.1', hostnames: ['a.b'] }],
    dnsConfig: { nameservers: ['192.0.2.1'], options: [{ name: 'a', value: 'b' }] },
  },
}
const of = (path: string, apiVersion: string, kind: string, rest: object) => ({
  path,
  object: {
    apiVersion,
    kind,
    metadata: { name: 'fuzz', labels: { a: 'b' }, annotations: { a: 'b' }, finalizers: ['a.example.com/b'] },
    ...rest,
  },
})
const IN = 'namespaces/default'
const WHOLE = [
  of(`/api/v1/${IN}/pods`, 'v1', 'Pod', { spec: TEMPLATE.spec }),
  of(`/apis/apps/v1/${IN}/deployments`, 'apps/v1', 'Deployment', {
    spec: {
      replicas: 2,
      strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
      selector: { matchLabels: { app: 'fuzz' } },
      template: TEMPLATE,
    },
  }),
  of(`/apis/batch/v1/${IN}/cronjobs`, 'batch/v1', 'CronJob', {
    spec: {
      schedule: '*/5 * * * *',
      timeZone: 'Europe/Berlin',
      jobTemplate: {
        spec: {
          template: { spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } },
          podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }] },
        },
      },
    },
  }),
  of(`/api/v1/${IN}/services`, 'v1', 'Service', {
    spec: {
      type: 'NodePort',
      selector: { a: 'b' },
      ports: [
        { name: 'a', port: 80, targetPort: 'http', protocol: 'TCP' },
        { name: 'b', port: 81 },
      ],
      sessionAffinity: 'ClientIP',
    },
  }),
  of(`/apis/networking.k8s.io/v1/${IN}/networkpolicies`, 'networking.k8s.io/v1', 'NetworkPolicy', {
    spec: {
      podSelector: { matchLabels: { a: 'b' } },
      ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }], ports: [{ port: 1, endPort: 2 }] }],
    },
  }),
  of(`/apis/autoscaling/v2/${IN}/horizontalpodautoscalers`, 'autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'fuzz' },
      maxReplicas: 3,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
    },
  }),
  of('/apis/resource.k8s.io/v1/deviceclasses', 'resource.k8s.io/v1', 'DeviceClass', {
    spec: { selectors: [{ cel: { expression: 'device.driver == "a.example.com"' } }] },
  }),
  of('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', 'admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', {
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: ['x.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['xs'] }],
      },
      variables: [{ name: 'a', expression: 'object.metadata.name' }],
      validations: [{ expression: 'variables.a.startsWith("b")', messageExpression: '"no " + variables.a' }],
    },
  }),
  (({ path, object }) => ({ path, object: { ...object, metadata: { name: 'fuzzes.x.example.com' } } }))(
    of('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', 'apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
      spec: {
        group: 'x.example.com',
        scope: 'Namespaced',
        names: { plural: 'fuzzes', singular: 'fuzz', kind: 'Fuzz', shortNames: ['fz'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
            selectableFields: [{ jsonPath: '.spec.a' }],
            subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    required: ['a'],
                    'x-kubernetes-validations': [{ rule: 'self.a.size() < 5', message: 'too long' }],
                    properties: {
                      a: { type: 'string', pattern: '^[a-z]+$', maxLength: 9, default: 'b' },
                      n: { type: 'integer', minimum: 1 },
                      l: {
                        type: 'array',
                        maxItems: 3,
                        items: { type: 'object', properties: { k: { type: 'string' } }, required: ['k'] },
                        'x-kubernetes-list-type': 'map',
                        'x-kubernetes-list-map-keys': ['k'],
                      },
                    },
                  },
                  status: { type: 'object', properties: { n: { type: 'integer' } } },
                },
              },
            },
          },
        ],
      },
    }),
  ),
]

test('patches of any kind and shape change nothing or are carried out', async () => {
  const target = `${MAPS}/patched`
  await send('POST', MAPS, text({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'patched' }, data: { a: 'b' } }))
  const pointer = fc.oneof(
    fc.constantFrom('/data/a', '/metadata/labels', '/data/-', '', '/', '/__proto__/polluted', '/data/~2'),
    fc.string(),
  )
  const op = fc.record(
    {
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'jump'),
      path: pointer,
      from: pointer,
      value: fc.jsonValue({ maxDepth: 2 }),
    },
    { requiredKeys: [] },
  )
  const patch = fc.oneof(fc.array(op, { maxLength: 4 }), fc.jsonValue({ maxDepth: 3 }))
  const type = fc.constantFrom(
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
    'application/patch',
  )
  const property = fc.asyncProperty(patch, type, fc.boolean(), async (body, kind, directive) => {
    const sent = directive && kind.includes('merge') ? { data: { $patch: body, $retainKeys: body }, '$setElementOrder/data': body } : body
    assertClientFault(await send('PATCH', `${target}?dryRun=All&fieldManager=fuzz&force=true`, text(sent), kind), [200])
  })
  const before = await cluster.client().get({ ...CONFIG_MAPS, namespace: 'default', name: 'patched' })
  await fc.assert(property, { seed: SEED, numRuns: 600 })
  const now = await cluster.client().get({ ...CONFIG_MAPS, namespace: 'default', name: 'patched' })
  assert.equal(now.metadata.resourceVersion, before.metadata.resourceVersion)
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
})

test('selectors and other parameters of any text are understood or refused', async () => {
  const parameter = fc.constantFrom(
    'labelSelector',
    'fieldSelector',
    'limit',
    'continue',
    'resourceVersion',
    'resourceVersionMatch',
    'pretty',
  )
  const piece = fc.constantFrom(
    'a',
    '=',
    '==',
    '!=',
    ' in ',
    ' notin ',
    '(',
    ')',
    ',',
    '!',
    'metadata.name',
    '\\',
    '/',
    '.',
    'x/y',
    '-1',
    '9'.repeat(30),
  )
  const value = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((p) => p.join('')),
    fc.string(),
  )
  const property = fc.asyncProperty(fc.array(fc.tuple(parameter, value), { minLength: 1, maxLength: 3 }), async (pairs) => {
    const query = pairs.map(([name, said]) => `${name}=${encodeURIComponent(said)}`).join('&')
    const answer = await send('GET', `/api/v1/configmaps?${query}`)
    // As in Kubernetes, a request for a future revision waits, and fails with 504.
    assertClientFault(answer, [200, ...(query.includes('resourceVersion=') ? [504] : [])])
  })
  await fc.assert(property, { seed: SEED, numRuns: 300 })
})

test('objects in envelopes inside of envelopes are taken to a depth, and no further', async () => {
  const history = (message: Buffer) => wrapMessage({ apiVersion: 'apps/v1', kind: 'ControllerRevision' }, message)
  // ControllerRevision.data (field 2) is an object of any kind, here the bytes of another envelope (field 1 of RawExtension).
  const field = (number: number, bytes: Buffer) => {
    const length: number[] = []
    for (let n = bytes.length; ; n >>>= 7) {
      length.push(n < 128 ? n : (n & 127) | 128)
      if (n < 128) break
    }
    return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), bytes])
  }
  const post = (body: Buffer) =>
    send('POST', '/apis/apps/v1/namespaces/default/controllerrevisions?dryRun=All', body, 'application/vnd.kubernetes.protobuf')
  let nested = history(Buffer.alloc(0))
  for (let depth = 1; depth <= 1000; depth++) {
    nested = history(field(2, field(1, nested)))
    if (depth === 3 || depth === 100 || depth === 1000) assertClientFault(await post(nested), depth === 3 ? [201] : [])
  }
})

test('a body of 3 MiB and more is too large', async () => {
  const before = await stored()
  for (const size of [3 * 1024 * 1024 + 1, 8 * 1024 * 1024]) {
    const body = text({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large' }, data: { a: 'x'.repeat(size) } })
    for (const [method, url] of [
      ['POST', MAPS],
      ['PUT', `${MAPS}/large`],
      ['PATCH', `${MAPS}/large`],
      ['DELETE', `${MAPS}/large`],
    ] as const) {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const answer = await send(method, url, body, type).catch((error: NodeJS.ErrnoException) => error.code ?? String(error))
      // The server may close the connection if the client does not stop sending.
      if (typeof answer === 'string') assert.match(answer, /ECONNRESET|EPIPE/)
      else assert.equal(answer.code, 413, answer.text.slice(0, 200))
    }
  }
  assert.equal(await stored(), before)
})

test('JSON and YAML that is 10,000 levels deep is refused', async () => {
  const deep = (open: string, close: string) => open.repeat(10_000) + close.repeat(10_000)
  for (const [body, type] of [
    [deep('[', ']'), 'application/json'],
    [deep('{"a":', '}').replace('"a":}', '"a":1}'), 'application/json'],
    [
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"data":${deep('{"a":', '}').replace('"a":}', '"a":1}')}}`,
      'application/json',
    ],
    [deep('[', ']'), 'application/yaml'],
    [deep('{"a":', '}').replace('"a":}', '"a":1}'), 'application/yaml'],
  ] as const) {
    assertClientFault(await send('POST', MAPS, body, type))
  }
  for (const type of ['json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml']) {
    const body = deep('{"data":', '}').replace('"data":}', '"data":1}')
    assertClientFault(await send('PATCH', `${MAPS}/deep?fieldManager=x`, body, `application/${type}`))
  }
  const body = `{"apiVersion":"v1","kind":"ControllerRevision","metadata":{"name":"deep"},"revision":1,"data":${deep('[', ']')}}`
  assertClientFault(
    await send('POST', '/apis/apps/v1/namespaces/default/controllerrevisions?dryRun=All', body.replace('"v1"', '"apps/v1"')),
    [201],
  )
})

test('names of every object in JavaScript are keys like others', async () => {
  const keys = '"constructor":"c","toString":"t","hasOwnProperty":"h"'
  const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"proto","labels":{${keys}},"annotations":{${keys}}},"data":{"__proto__":"p",${keys}}}`
  const made = await send('POST', MAPS, body)
  assert.equal(made.code, 201, made.text)
  assert.match((await send('GET', `${MAPS}/proto`)).text, /"__proto__":"p"/)
  const merged = await send('PATCH', `${MAPS}/proto`, '{"data":{"__proto__":"q","constructor":null}}', 'application/merge-patch+json')
  assert.match(merged.text, /"__proto__":"q"/)
  assert.doesNotMatch(
    merged.text.replace(/"managedFields":\[.*?\}\]/, '').replace(/"(labels|annotations)":\{[^}]*\}/g, ''),
    /"constructor"/,
  )
  const found = await send('GET', '/api/v1/configmaps?labelSelector=constructor%3Dc')
  assert.equal(JSON.parse(found.text).items.length, 1)
  for (const url of [
    '/api/v1/__proto__',
    '/apis/constructor/v1/toString',
    `${MAPS}/__proto__`,
    '/api/v1/namespaces/default/pods/a/constructor',
  ]) {
    assert.equal((await send('GET', url)).code, 404, url)
  }
})

/** A connection for raw writes. */
async function connection(protocol: 'http/1.1' | 'h2'): Promise<tls.TLSSocket> {
  const socket = tls.connect({ ...access, servername: 'localhost', ALPNProtocols: [protocol] })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  return socket
}

test('a request that stops in the middle stores nothing', async () => {
  const before = await stored()
  const body = text({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'half' } })
  const head = `POST ${MAPS} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`
  for (const request of [
    `${head}Content-Length: ${body.length + 10}\r\n\r\n${body}`,
    `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`,
    `${head}Content-Le`,
  ]) {
    const socket = await connection('http/1.1')
    socket.write(request)
    await new Promise((resolve) => setImmediate(resolve))
    socket.destroy()
  }
  const session = http2.connect(`https://${access.host}:${access.port}`, { ...access })
  session.on('error', () => {})
  const stream = session.request({ ':method': 'POST', ':path': MAPS, 'content-type': 'application/json' })
  stream.on('error', () => {})
  stream.write(body)
  await new Promise((resolve) => setImmediate(resolve))
  stream.close(http2.constants.NGHTTP2_CANCEL)
  await once(stream, 'close')
  session.destroy()
  assert.equal((await send('GET', '/readyz')).code, 200)
  assert.equal(await stored(), before)
})

test('500 half-open connections and slow senders do not block other clients', async () => {
  const half = await Promise.all(
    Array.from({ length: 500 }, async (_, i) => {
      if (i % 2 === 0) {
        const socket = tls.connect({ ...access, servername: 'localhost' })
        socket.on('error', () => {})
        await once(socket, 'connect') // the handshake may or may not continue
        return socket
      }
      const socket = await connection('http/1.1')
      socket.write(`POST ${MAPS} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n{`)
      return socket
    }),
  )
  for (let i = 0; i < 20; i++) assert.equal((await send('GET', '/api/v1/namespaces/default')).code, 200)
  const made = await send('POST', MAPS, text({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'between-the-slow' } }))
  assert.equal(made.code, 201)
  for (const socket of half) socket.destroy()
})

test('HTTP/2 frames that make no sense end their connection and nothing else', async () => {
  const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  const frame = fc.tuple(
    fc.integer({ min: 0, max: 12 }),
    fc.integer({ min: 0, max: 255 }),
    fc.integer({ min: 0, max: 9 }),
    fc.uint8Array({ maxLength: 60 }),
  )
  const garbage = fc.oneof(
    fc.array(frame, { minLength: 1, maxLength: 6 }).map((f) => Buffer.concat(f.map(frameBytes))),
    fc.uint8Array({ minLength: 9, maxLength: 200 }),
  )
  const property = fc.asyncProperty(garbage, fc.boolean(), async (bytes, settings) => {
    const socket = await connection('h2')
    socket.resume()
    socket.write(Buffer.concat([preface, settings ? frameBytes([4, 0, 0, new Uint8Array()]) : Buffer.alloc(0), bytes]))
    await new Promise((resolve) => setImmediate(resolve))
    socket.destroy()
  })
  await fc.assert(property, { seed: SEED, numRuns: 60 })
  assert.equal((await send('GET', '/readyz')).code, 200)
})

function frameBytes([type, flags, stream, payload]: readonly [number, number, number, Uint8Array]): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

for (const [head, code] of [
  ['GET /version HTTP/1.1\r\nbroken\r\n\r\n', 400],
  [`GET /version HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: ${'a'.repeat(60_000)}\r\n\r\n`, 200],
  [`GET /version HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(1_100_000)}\r\n\r\n`, 431],
  ['BREW /version HTTP/1.1\r\nHost: a\r\nAudit-Id: x\nX-Evil: 1\r\n\r\n', 400],
  ['BREW /version HTTP/1.1\r\nHost: a\r\nAudit-Id: x\0y\r\n\r\n', 400],
] as const)
  test(`invalid HTTP is reported, and a long head is read: ${JSON.stringify(head).slice(0, 80)}`, async () => {
    const socket = await connection('http/1.1')
    let said = ''
    socket.on('data', (part) => {
      said += String(part)
    })
    socket.write(head)
    await new Promise((resolve) => socket.on('close', resolve))
    assert.ok(said.startsWith(`HTTP/1.1 ${code} `), `${head.slice(0, 60)}: ${said.slice(0, 60)}`)
    assert.doesNotMatch(said, /^x-evil/im)
  })

test('lines that are no HTTP are refused', async () => {
  for (const line of [
    'GARBAGE\r\n\r\n',
    'GET\r\n\r\n',
    `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
    'GET / HTTP/9.9\r\n\r\n',
    '\0\0\0\0\r\n\r\n',
  ]) {
    const socket = await connection('http/1.1')
    socket.write(line)
    let said = ''
    socket.on('data', (part) => {
      said += String(part)
    })
    await new Promise((resolve) => socket.on('close', resolve))
    assert.match(said, /^(HTTP\/1\.1 4\d\d |$)/, line.slice(0, 20))
  }
  for (const url of [
    '/%',
    '/api/v1/namespaces/%ff/pods',
    '/api/v1/namespaces/..%2f..%2f/pods',
    '//api//v1',
    '/api/v1/pods?watch=%',
    '/apis/%00',
  ]) {
    const answer = await send('GET', url)
    assert.ok(answer.code < 500, `${url}: ${answer.code} ${answer.text}`)
  }
})
