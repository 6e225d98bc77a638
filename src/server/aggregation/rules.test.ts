import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { mergeOpenapiV2 } from '../../apiserver/openapi/merge-openapi-v2.ts'
import { fixedText } from '../../base/live-text.ts'
import type { Service, ServicePort, ServiceSpec } from '../../resources/types/core.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'
import { wrongName } from '../services/network-error.ts'
import type { ApiService, ApiServiceSpec } from './api-service.ts'
import { convertResources } from './delegate-discovery.ts'
import { ownPaths } from './delegate-openapi.ts'
import { delegationData } from './delegation-config-map.ts'
import { escapeKey, escapePath, forwardHeaders, type IsIdentity, identityNames, isIdentity, sortedQuery } from './forward-headers.ts'
import { planLocal } from './local-api-services.ts'
import { planAvailability, withVerdict } from './plan-availability.ts'
import { rewrittenLocation } from './redirect.ts'

const request = (headers: Record<string, string[]>, more: { upgrade?: boolean; method?: string; dropped?: IsIdentity } = {}) =>
  forwardHeaders(
    {
      method: more.method ?? 'GET',
      headers,
      user: { name: 'ann', uid: 'u-1', groups: ['a', 'b'], extra: { 'example.com/Key%': ['1', '2'] } },
      remoteAddress: '127.0.0.1',
      auditId: 'id',
      host: 'delegate:443',
      path: '/apis/g/v1',
      upgrade: more.upgrade ?? false,
    },
    more.dropped ?? isIdentity,
  )

describe('headers on their way to a delegate', () => {
  test("the user is in the front proxy's headers, and those of the client are dropped", () => {
    const sent = request({
      authorization: ['Bearer secret'],
      'x-remote-user': ['root'],
      'x-remote-extra-scopes': ['all'],
      'impersonate-user': ['root'],
      cookie: ['a=b'],
      'x-remote-thing': ['kept'],
      'sec-websocket-protocol': ['v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0'],
    })
    assert.deepEqual(sent['X-Remote-User'], 'ann')
    assert.deepEqual(sent['X-Remote-Group'], ['a', 'b'])
    assert.equal(sent['X-Remote-Uid'], 'u-1')
    assert.deepEqual(sent['X-Remote-Extra-Example.com%2fkey%25'], ['1', '2'])
    assert.equal(sent['Sec-Websocket-Protocol'], 'v5.channel.k8s.io')
    assert.equal(sent.Cookie, 'a=b')
    assert.equal(sent['X-Remote-Thing'], 'kept')
    assert.doesNotMatch(JSON.stringify(sent), /secret|root|scopes/)
  })

  test('what belongs to the connection stays with it, but for the upgrade itself', () => {
    const headers = { connection: ['Upgrade, X-Hop'], upgrade: ['echo'], 'x-hop': ['1'], te: ['trailers'], 'x-forwarded-for': ['10.0.0.9'] }
    const sent = request(headers)
    assert.deepEqual([sent.Connection, sent.Upgrade, sent['X-Hop'], sent.Te], [undefined, undefined, undefined, 'trailers'])
    assert.equal(sent['X-Forwarded-For'], '10.0.0.9, 127.0.0.1')
    const upgraded = request(headers, { upgrade: true })
    assert.deepEqual([upgraded.Connection, upgraded.Upgrade, upgraded['X-Forwarded-Host']], ['Upgrade', 'echo', undefined])
  })

  test('headers of its own that a front proxy is configured with are not handed on either', () => {
    const dropped = identityNames({
      ca: fixedText('CA'),
      allowedNames: [],
      userHeaders: ['X-My-User'],
      uidHeaders: ['X-My-Uid'],
      groupHeaders: ['X-My-Group'],
      extraPrefixes: ['X-My-Extra-'],
    })
    const headers = { 'x-my-user': ['root'], 'x-my-uid': ['0'], 'x-my-group': ['all'], 'x-my-extra-a': ['b'], 'x-remote-user': ['root'] }
    for (const upgrade of [false, true]) {
      const sent = request({ ...headers, 'x-my-thing': ['kept'] }, { dropped, upgrade })
      assert.deepEqual(
        Object.keys(sent).filter((name) => name.startsWith('X-My-')),
        ['X-My-Thing'],
      )
      assert.equal(sent['X-Remote-User'], 'ann')
    }
    assert.equal(request(headers)['X-My-User'], 'root', 'without a front proxy they are headers like others')
  })

  test('no header of a client changes its identity', () => {
    const name = fc.constantFrom(
      'X-Remote-User',
      'x-remote-group',
      'X-REMOTE-UID',
      'x-remote-extra-a',
      'Authorization',
      'Impersonate-User',
      'x-other',
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string({ minLength: 1 }))), fc.boolean(), (pairs, upgrade) => {
        const headers: Record<string, string[]> = {}
        for (const [key, value] of pairs) headers[key.toLowerCase()] = [...(headers[key.toLowerCase()] ?? []), `evil-${value}`]
        const sent = request(headers, { upgrade })
        for (const [key, value] of Object.entries(sent))
          if (/^(x-remote-|authorization|impersonate)/i.test(key)) assert.doesNotMatch(String(value), /evil/)
      }),
    )
  })

  test('gzip is requested if the client sent no Accept-Encoding', () => {
    assert.equal(request({})['Accept-Encoding'], 'gzip')
    assert.equal(request({ 'accept-encoding': ['br'] })['Accept-Encoding'], 'br')
    assert.equal(request({}, { method: 'HEAD' })['Accept-Encoding'], undefined)
  })
})

describe('paths and queries', () => {
  for (const [given, expected] of [
    ['b=2&a=1&b=1', 'a=1&b=2&b=1'],
    ['a=%2f+x&broken=%zz&semi;colon=1&flag', 'a=%2F+x&flag='],
    ['ü=1', '%C3%BC=1'],
  ] as const)
    test(`?${given}`, () => assert.equal(sortedQuery(given), expected))

  test('an encoded query has the same meaning and order, and is not changed by a second hop', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string())), (pairs) => {
        const clean = pairs.filter(([n, v]) => (n + v).isWellFormed())
        const written = sortedQuery(new URLSearchParams(clean).toString())
        assert.equal(sortedQuery(written), written)
        const sorted = (all: Iterable<[string, string]>) => [...all].map((p) => p.join('=')).sort()
        assert.deepEqual(sorted(new URLSearchParams(written)), sorted(clean))
      }),
    )
  })

  test('a decoded path is escaped so that it decodes to itself', () => {
    assert.equal(escapePath('/a b/ü%'), '/a%20b/%C3%BC%25')
    fc.assert(
      fc.property(
        fc.string().filter((s) => s.isWellFormed()),
        (path) => assert.equal(decodeURIComponent(escapePath(path)), path),
      ),
    )
  })

  test('keys of extras hold nothing that ends a header', () => {
    fc.assert(fc.property(fc.string(), (key) => assert.match(escapeKey(key), /^[A-Za-z0-9!#$%&'*+\-.^_`|~]*$/)))
  })
})

test('redirects to a path of the delegate become whole URLs', () => {
  assert.equal(rewrittenLocation('/elsewhere', 'delegate:1'), 'https://delegate:1/elsewhere')
  assert.equal(rewrittenLocation('https://example.com/x', 'delegate:1'), 'https://example.com/x')
  assert.equal(rewrittenLocation('relative', 'delegate:1'), 'relative')
})

describe('availability', () => {
  const spec: ApiServiceSpec = {
    group: 'g',
    version: 'v1',
    groupPriorityMinimum: 1,
    versionPriority: 1,
    service: { namespace: 'n', name: 's' },
  }
  const service = (ports: ServicePort[], more: ServiceSpec = {}): Service => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { ports, ...more },
  })
  const slice = (name: string, ready: boolean): EndpointSlice => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {},
    addressType: 'IPv4',
    ports: [{ name }],
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
  })
  const said = (seen: Partial<Parameters<typeof planAvailability>[1]>) => {
    const plan = planAvailability(spec, { service: undefined, slices: [], direct: false, ...seen })
    return plan.kind === 'probe' ? 'probe' : plan.condition.reason
  }
  const named = service([{ port: 443, name: 'https' }])
  for (const [what, seen, expected] of [
    ['no service', {}, 'ServiceNotFound'],
    ['another port', { service: service([{ port: 1 }]) }, 'ServicePortError'],
    ['no slices', { service: named }, 'EndpointsNotFound'],
    ['a port of another name', { service: named, slices: [slice('http', true)] }, 'MissingEndpoints'],
    ['nobody ready', { service: named, slices: [slice('https', false)] }, 'MissingEndpoints'],
    ['somebody ready', { service: named, slices: [slice('https', true)] }, 'probe'],
    ['another type of service', { service: service([], { type: 'ExternalName' }) }, 'probe'],
    ['in this process', { direct: true }, 'probe'],
  ] as const)
    test(what, () => assert.equal(said(seen), expected))

  test('the time of a condition is that of its last change', () => {
    const before = {
      status: { conditions: [{ type: 'Available', status: 'False', reason: 'A', message: 'a', lastTransitionTime: 'then' }] },
    } as unknown as ApiService
    assert.equal(withVerdict(before, { status: 'False', reason: 'A', message: 'a' }, 'now'), undefined)
    assert.equal(withVerdict(before, { status: 'False', reason: 'B', message: 'b' }, 'now')?.conditions?.[0]?.lastTransitionTime, 'then')
    assert.equal(withVerdict(before, { status: 'True' }, 'now')?.conditions?.[0]?.lastTransitionTime, 'now')
  })
})

test('of APIServices only those that are marked as the server’s own are kept, restored and deleted', () => {
  const one = (label: string | undefined, service?: object) =>
    ({
      metadata: { labels: label ? { 'kube-aggregator.kubernetes.io/automanaged': label } : {} },
      spec: { groupPriorityMinimum: 1000, versionPriority: 100, service },
    }) as unknown as ApiService
  assert.equal(planLocal(true, undefined), 'create')
  assert.equal(planLocal(true, one('true')), 'nothing')
  assert.equal(planLocal(true, one('true', {})), 'restore')
  assert.equal(planLocal(true, one(undefined, {})), 'nothing')
  assert.equal(planLocal(false, one('true')), 'delete')
  assert.equal(planLocal(false, one('onstart')), 'nothing')
})

test('the delegation config map is merged with the present one; unknown keys are dropped', () => {
  const frontProxy = {
    ca: fixedText('PEM'),
    allowedNames: ['a'],
    userHeaders: ['U'],
    uidHeaders: [],
    groupHeaders: ['G'],
    extraPrefixes: ['E'],
  }
  const data = delegationData({ clientCa: fixedText('CA'), frontProxy }, { 'requestheader-allowed-names': '["x"]', more: 'kept' })
  assert.deepEqual(data, {
    'client-ca-file': 'CA',
    'requestheader-client-ca-file': 'PEM',
    'requestheader-allowed-names': '["x","a"]',
    'requestheader-username-headers': '["U"]',
    'requestheader-group-headers': '["G"]',
    'requestheader-extra-headers-prefix': '["E"]',
  })
  assert.deepEqual(delegationData({ clientCa: fixedText('CA'), frontProxy }, data), data)
})

test('any plain list of resources is converted to the aggregated format', () => {
  const gv = { group: 'g', version: 'v1' }
  const list = [
    { name: 'as', singularName: 'a', namespaced: true, kind: 'A', verbs: ['get'], shortNames: ['x'] },
    { name: 'as/status', namespaced: true, kind: 'A', verbs: ['get'] },
  ]
  const kind = { group: 'g', version: 'v1', kind: 'A' }
  assert.deepEqual(
    convertResources(list, gv),
    [
      {
        resource: 'as',
        scope: 'Namespaced',
        responseKind: kind,
        singularResource: 'a',
        verbs: ['get'],
        shortNames: ['x'],
        subresources: [{ subresource: 'status', responseKind: kind, verbs: ['get'] }],
      },
    ].map(({ subresources, ...rest }) => ({ ...rest, ...(subresources && { subresources }) })),
  )
  fc.assert(fc.property(fc.array(fc.jsonValue()), (junk) => void convertResources(junk as never, gv)))
})

test('different definitions of the same name are renamed, and references follow', () => {
  const widget = (type: string) => ({ W: { type } })
  const paths = (path: string) => ({ [path]: { get: { schema: { $ref: '#/definitions/W' } } } })
  const own = { paths: paths('/own'), definitions: widget('a') }
  const merged = mergeOpenapiV2(own, [
    { paths: paths('/other'), definitions: widget('b') },
    { paths: paths('/own'), definitions: widget('a') },
  ])
  assert.deepEqual(merged.definitions, { W: { type: 'a' }, W_v2: { type: 'b' } })
  assert.deepEqual(merged.paths, { ...paths('/own'), '/other': { get: { schema: { $ref: '#/definitions/W_v2' } } } })
  assert.deepEqual(own.definitions, widget('a'))
})

test('of a delegate’s document its own paths are taken, and what they lead to', () => {
  const document = {
    paths: { '/apis/g/v1/as': { $ref: '#/definitions/A' }, '/api/v1/pods': { $ref: '#/definitions/Pod' } },
    definitions: { A: { $ref: '#/definitions/B' }, B: { $ref: '#/definitions/A' }, Pod: {} },
  }
  const own = ownPaths(document, { group: 'g', version: 'v1' })
  assert.deepEqual(Object.keys(own.paths as object), ['/apis/g/v1/as'])
  assert.deepEqual(Object.keys(own.definitions as object).sort(), ['A', 'B'])
})

test('certificates are judged by their alternative names alone', () => {
  const certificate = (subjectaltname: string | undefined, CN = 'x') => ({ subject: { CN }, subjectaltname }) as never
  assert.equal(wrongName('a.b.svc', certificate('DNS:a.b.svc, IP Address:127.0.0.1')), undefined)
  assert.equal(wrongName('a.b.svc', certificate('DNS:*.b.svc')), undefined)
  assert.match(wrongName('a.b.svc', certificate('DNS:localhost')) ?? '', /is valid for localhost, not a\.b\.svc/)
  assert.match(wrongName('a.b.svc', certificate(undefined)) ?? '', /not valid for any names, but wanted to match a\.b\.svc/)
  assert.match(wrongName('a.b.svc', certificate(undefined, 'a.b.svc')) ?? '', /legacy Common Name/)
})
