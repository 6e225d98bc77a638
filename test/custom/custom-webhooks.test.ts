import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { openCertificates } from '../../src/cluster/certificates.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { type Json, type JsonObject, type KubeObject, setOwn } from '../../src/machinery/object.ts'
import { StatusError } from '../../src/machinery/status-error.ts'
import { CUSTOM_RESOURCE_DEFINITIONS as DEFINITIONS } from '../../src/resources/refs.ts'
import {
  type Client,
  createClient,
  createWebhookServer,
  type HttpsTransport,
  httpsTransport,
  loadKubeconfig,
  type WebhookServer,
} from '../../src/sdk/sdk.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' }
const GROUP = 'webhooks.example.com'

const certificates = openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24' }, { clock: systemClock })
const tls = { cert: certificates.serving.certificate, key: certificates.serving.key }
const caBundle = Buffer.from(certificates.ca.certificate).toString('base64')

/** The time limit of a conversion in this test, in milliseconds (30 s by default). */
let patience = 300
const hasty: Clock = { ...systemClock, after: (ms, fn) => systemClock.after(ms === 30_000 ? patience : ms, fn) }

/** A gadget in either version. */
type Gadget = KubeObject<{ weight?: string; amount?: number; unit?: string; serial?: number | bigint }>

/** v1 has `weight: 3 kg`, v2 has `amount: 3, unit: kg`; big integers must survive. */
const convertGadgets = (objects: readonly KubeObject[], apiVersion: string): KubeObject[] =>
  (objects as readonly Gadget[]).map((o) => {
    const { weight = '', amount, unit: unitOf, serial } = o.spec ?? {}
    if (apiVersion.endsWith('/v2')) {
      const [number = '', unit = ''] = weight.split(' ')
      return { ...o, apiVersion, spec: { amount: Number(number), unit, serial } }
    }
    return { ...o, apiVersion, spec: { weight: `${amount} ${unitOf}`, serial } }
  })

/** Kubernetes' errors about converted objects that cannot be decoded do not name the webhook. */
const NAMELESS = /^json: cannot unmarshal|^Object 'Kind' is missing/

type Answer = (review: JsonObject, response: ServerResponse) => void
const say = (response: ServerResponse, body: unknown) => response.end(JSON.stringify(body))
const requestOf = (review: JsonObject) => review.request as unknown as { uid: string; desiredAPIVersion: string; objects: KubeObject[] }
const reviewed = (review: JsonObject, convertedObjects: unknown) => ({
  apiVersion: review.apiVersion,
  kind: review.kind,
  response: { uid: requestOf(review).uid, result: { status: 'Success' }, convertedObjects },
})
/** A correct response with one change. */
const spoilt =
  (spoil: (object: KubeObject) => unknown): Answer =>
  (review, response) => {
    const { objects, desiredAPIVersion } = requestOf(review)
    const made = structuredClone(convertGadgets(objects, desiredAPIVersion))
    say(
      response,
      reviewed(
        review,
        made.map((o) => spoil(o) ?? o),
      ),
    )
  }
const honest = spoilt((o) => o)

/** A webhook written without the SDK; its response can be replaced. */
class PlainWebhook {
  answer: Answer = honest
  readonly #server = https.createServer(tls, async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    this.answer(JSON.parse(Buffer.concat(parts).toString()), response)
  })
  async listen(port = 0): Promise<number> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }
  async close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }
}

describe('conversion webhooks', () => {
  let cluster: Cluster
  let client: Client
  let remote: Client
  let transport: HttpsTransport
  before(async () => {
    cluster = await startCluster({ parts: ['server'] }, { clock: hasty })
    client = cluster.client()
    await cluster.listen()
    transport = httpsTransport(await loadKubeconfig(cluster.kubeconfig()), { clock: systemClock })
    remote = createClient(transport)
  })
  after(async () => {
    await transport[Symbol.asyncDispose]()
    await cluster[Symbol.asyncDispose]()
  })

  const define = async (plural: string, url: string) => {
    await client.create(DEFINITIONS, definition(plural, url))
    const at = (version: string) => ({ group: GROUP, version, resource: plural, namespace: 'default' })
    const kind = plural.slice(0, -1)
    const make = (version: string, name: string, spec: JsonObject) =>
      ({ apiVersion: `${GROUP}/${version}`, kind, metadata: { name, labels: { name } }, spec }) as KubeObject
    return { v1: at('v1'), v2: at('v2'), make }
  }

  const thereAndBack = async (plural: string, url: string) => {
    const { v1, v2, make } = await define(plural, url)
    const first = await client.create(v1, make('v1', 'a', { weight: '3 kg', serial: 7 }))
    const read = await remote.get({ ...v2, name: 'a' })
    assert.deepEqual(read, { ...first, apiVersion: `${GROUP}/v2`, metadata: read.metadata, spec: { amount: 3, unit: 'kg', serial: 7 } })
    assert.equal(read.metadata.uid, first.metadata.uid)
    const written = await client.create(v2, make('v2', 'b', { amount: 5, unit: 'g', serial: 8 }))
    assert.deepEqual(written.spec, { amount: 5, unit: 'g', serial: 8 })
    assert.deepEqual((await client.get({ ...v1, name: 'b' })).spec, { weight: '5 g', serial: 8 })
    await client.patch({ ...v2, name: 'a' }, 'merge', { spec: { amount: 4 } })
    assert.deepEqual((await client.get({ ...v1, name: 'a' })).spec, { weight: '4 kg', serial: 7 })
    const list = await remote.list<Gadget>(v2)
    assert.deepEqual(
      list.items.map((o) => o.spec?.amount),
      [4, 5],
    )
  }

  test('written with the SDK', async () => {
    await using webhook: WebhookServer = createWebhookServer({ tls, conversion: convertGadgets })
    await thereAndBack('gadgets', `${await webhook.listen(0)}/convert`)
  })

  test('fields that are owned in one version are owned in the other; a failing webhook fails an apply, and nothing else', async () => {
    const webhook = new PlainWebhook()
    const { v1, v2, make } = await define('gears', `https://127.0.0.1:${await webhook.listen()}/`)
    const apply = (target: typeof v1, manager: string, object: KubeObject) =>
      client.patch({ ...target, name: 'a' }, 'apply', object, { fieldManager: manager })
    const applied = (version: string, fields: JsonObject) => ({ ...make(version, 'a', fields), metadata: { name: 'a' } })
    await apply(v1, 'one', applied('v1', { weight: '3 kg' }))
    // `amount` of v2 is in `weight` of v1.
    const refused = await apply(v2, 'two', applied('v2', { amount: 5 })).then(
      () => undefined,
      (error: unknown) => error,
    )
    assert(refused instanceof StatusError)
    assert.match(refused.message, /conflict with "one": \.spec\.weight/)
    const other = await apply(v2, 'two', applied('v2', { serial: 9 }))
    assert.deepEqual(other.spec, { amount: 3, unit: 'kg', serial: 9 })
    assert.deepEqual(
      other.metadata.managedFields?.map((entry) => [entry.manager, entry.apiVersion]),
      [
        ['one', `${GROUP}/v1`],
        ['two', `${GROUP}/v2`],
      ],
    )
    // The object itself needs no conversion, but the view of its other field manager does.
    webhook.answer = (review, response) =>
      say(response, {
        ...reviewed(review, []),
        response: { uid: requestOf(review).uid, result: { status: 'Failure', message: 'not today' } },
      })
    await assert.rejects(apply(v1, 'one', applied('v1', { weight: '4 kg' })), /not today/)
    const written = await client.patch<Gadget>({ ...v1, name: 'a' }, 'merge', { spec: { weight: '6 kg' } })
    assert.deepEqual([written.spec?.weight, written.metadata.managedFields], ['6 kg', undefined])
    await webhook.close()
  })

  test('written with plain node:https', async () => {
    const webhook = new PlainWebhook()
    await thereAndBack('widgets', `https://127.0.0.1:${await webhook.listen()}/`)
    await webhook.close()
  })

  test('numbers beyond 2^53 come through the SDK unharmed', async () => {
    await using webhook = createWebhookServer({ tls, conversion: convertGadgets })
    const { v1, v2, make } = await define('bigs', `${await webhook.listen(0)}/convert`)
    const serial = 9007199254740993n
    await client.create(v1, make('v1', 'a', { weight: '3 kg', serial }))
    assert.equal((await client.get<Gadget>({ ...v2, name: 'a' })).spec?.serial, serial)
  })

  test('many watchers of another version share one conversion of each event', async () => {
    let requested = 0
    const counted = (objects: readonly KubeObject[], apiVersion: string) => {
      requested++
      return convertGadgets(objects, apiVersion)
    }
    await using webhook = createWebhookServer({ tls, conversion: counted })
    const { v1, v2, make } = await define('seens', `${await webhook.listen(0)}/convert`)
    await client.create(v1, make('v1', 'first', { weight: '3 kg', serial: 1 }))
    const stop = new AbortController()
    const begun: Promise<void>[] = []
    const seen = Array.from({ length: 20 }, async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      begun.push(promise)
      for await (const events of remote.watch(v2, { signal: stop.signal })) {
        if (events.some((e) => e.object.metadata.name === 'second')) return
        resolve()
      }
    })
    await Promise.all(begun)
    requested = 0
    await client.create(v1, make('v1', 'second', { weight: '3 kg', serial: 1 }))
    await Promise.all(seen)
    stop.abort()
    // The response to the create is in v1: the request is for the watchers.
    assert.equal(requested, 1)
  })

  test('fields are selected in the version of the request: by lists, pages, collection deletes and watches', async () => {
    let requested = 0
    const counted = (objects: readonly KubeObject[], apiVersion: string) => {
      requested++
      return convertGadgets(objects, apiVersion)
    }
    await using webhook = createWebhookServer({ tls, conversion: counted })
    const { v1, v2, make } = await define('fielded', `${await webhook.listen(0)}/convert`)
    for (const [name, weight] of Object.entries({ a: '3 kg', b: '5 kg', c: '3 g', d: '3 kg' }))
      await client.create(v1, make('v1', name, { weight, serial: 1 }))
    const names = (list: { readonly items: readonly KubeObject[] }) => list.items.map((o) => o.metadata.name)
    const kilos = { fieldSelector: 'spec.unit=kg' }
    for (const c of [client, remote]) {
      assert.deepEqual(names(await c.list(v2, kilos)), ['a', 'b', 'd'])
      assert.deepEqual(names(await c.list(v2, { fieldSelector: 'spec.unit=kg,spec.amount!=5' })), ['a', 'd'])
      assert.deepEqual(names(await c.list(v1, { fieldSelector: 'spec.weight=3 g' })), ['c'])
    }
    const page = await remote.list(v2, { ...kilos, limit: 2 })
    assert.deepEqual(names(page), ['a', 'b'])
    assert.deepEqual(names(await remote.list(v2, { ...kilos, limit: 2, continue: page.metadata.continue ?? '' })), ['d'])
    assert.match((await refused(client.list(v2, { fieldSelector: 'spec.weight=3 g' }))).message, /field label not supported: spec.weight/)

    const stop = new AbortController()
    const reported = Array.from({ length: 3 }, () => [] as string[])
    const watchers = reported.map(async (mine, i) => {
      const watched = (i === 0 ? client : remote).watch(v2, {
        ...kilos,
        resourceVersion: page.metadata.resourceVersion ?? '',
        signal: stop.signal,
      })
      for await (const events of watched) {
        for (const { type, object } of events) {
          assert.equal(object.apiVersion, `${GROUP}/v2`)
          mine.push(`${type} ${object.metadata.name} ${(object as Gadget).spec?.amount} ${(object as Gadget).spec?.unit}`)
          if (object.metadata.name === 'z') return
        }
      }
    })
    await client.patch({ ...v2, name: 'a' }, 'merge', { spec: { amount: 4 } })
    await client.patch({ ...v2, name: 'b' }, 'merge', { spec: { unit: 'g' } })
    await client.patch({ ...v1, name: 'c' }, 'merge', { spec: { weight: '7 kg' } })
    await client.deleteCollection(v2, { fieldSelector: 'spec.amount=7' })
    await client.create(v1, make('v1', 'z', { weight: '1 kg', serial: 1 }))
    await Promise.all(watchers)
    stop.abort()
    for (const mine of reported)
      assert.deepEqual(mine, ['MODIFIED a 4 kg', 'DELETED b 5 kg', 'ADDED c 7 kg', 'DELETED c 7 kg', 'ADDED z 1 kg'])
    assert.deepEqual(names(await client.list(v2)), ['a', 'b', 'd', 'z'])

    requested = 0
    const listed = await remote.list(v2, kilos)
    assert.deepEqual(names(listed), ['a', 'd', 'z'])
    assert.ok(requested <= 2, `a list asked the webhook ${requested} times`)
  })

  test('a watch of fields whose objects cannot be converted ends with the reason', async () => {
    await using webhook = createWebhookServer({
      tls,
      conversion: () => {
        throw new Error('the sun is wrong')
      },
    })
    const { v1, v2, make } = await define('suns', `${await webhook.listen(0)}/convert`)
    await client.create(v1, make('v1', 'a', { weight: '3 kg' }))
    for (const c of [client, remote])
      assert.match((await refused(Array.fromAsync(c.watch(v2, { fieldSelector: 'spec.unit=kg' })))).message, /the sun is wrong/)
    assert.match((await refused(remote.list(v2, { fieldSelector: 'spec.unit=kg' }))).message, /the sun is wrong/)
  })

  test("a webhook's own error is reported", async () => {
    await using webhook = createWebhookServer({
      tls,
      conversion: () => {
        throw new Error('the moon is wrong')
      },
    })
    const { v1, v2, make } = await define('moons', `${await webhook.listen(0)}/convert`)
    await client.create(v1, make('v1', 'a', { weight: '3 kg' }))
    const error = await refused(client.get({ ...v2, name: 'a' }))
    assert.equal(error.message, `conversion webhook for ${GROUP}/v1, Kind=moon failed: the moon is wrong`)
  })

  describe('that are hostile', () => {
    const webhook = new PlainWebhook()
    let port = 0
    let things: Awaited<ReturnType<typeof define>>
    before(async () => {
      port = await webhook.listen()
      things = await define('things', `https://127.0.0.1:${port}/`)
      for (const name of ['a', 'b', 'c']) await client.create(things.v1, things.make('v1', name, { weight: '3 kg', serial: 1 }))
    })
    after(() => webhook.close())

    /** The invariants for any webhook: its error names it, and stored objects and other requests are unaffected. */
    const harmless = async (wanted: RegExp) => {
      const { v1, v2, make } = things
      const stored = await client.list(v1)
      const attempts: [string, () => Promise<unknown>][] = [
        ['get', () => client.get({ ...v2, name: 'a' })],
        ['get by HTTPS', () => remote.get({ ...v2, name: 'a' })],
        ['list', () => client.list(v2)],
        ['list by HTTPS', () => remote.list(v2)],
        ['create', () => client.create(v2, make('v2', 'new', { amount: 1, unit: 'g' }))],
        ['patch', () => client.patch({ ...v2, name: 'a' }, 'merge', { spec: { amount: 9 } })],
        ['delete', () => client.delete({ ...v2, name: 'a' })],
        ['delete by HTTPS', () => remote.delete({ ...v2, name: 'b' })],
        [
          'watch',
          () =>
            Array.fromAsync(client.watch(v2, { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true })),
        ],
      ]
      const others = async () => {
        const made: KubeObject = await client.create<KubeObject>(CONFIG_MAPS, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { generateName: 'other-' },
        })
        await client.delete({ ...CONFIG_MAPS, name: made.metadata.name ?? '' })
        await client.patch({ ...v1, name: 'c' }, 'merge', { metadata: { annotations: { at: String(performance.now()) } } })
      }
      const [errors] = await Promise.all([
        Promise.all(attempts.map(async ([what, attempt]) => [what, await refused(attempt(), what)] as const)),
        others(),
      ])
      for (const [what, error] of errors) {
        assert.match(error.message, wanted, what)
        if (!NAMELESS.test(error.message))
          assert.match(error.message, /conversion webhook for webhooks\.example\.com\/v\d, Kind=thing /, what)
        assert.equal(error.code, 500, what)
      }
      const now = await client.list(v1)
      const identity = (o: KubeObject) => [o.metadata.name, o.metadata.uid, o.metadata.labels, o.spec]
      assert.deepEqual(now.items.map(identity), stored.items.map(identity))
      // After it recovers, all objects are there.
      webhook.answer = honest
      assert.deepEqual(
        (await remote.list(v2)).items.map((o) => [o.metadata.name, o.spec]),
        ['a', 'b', 'c'].map((name) => [name, { amount: 3, unit: 'kg', serial: 1 }]),
      )
    }

    const head = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/json' })
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const cases: [string, Answer, RegExp][] = [
      ['never answers', () => {}, /context deadline exceeded/],
      ['begins an answer and never ends it', (_, r) => void head(r).write('{"apiVersion":'), /context deadline exceeded/],
      [
        'drips',
        (_, r) => {
          head(r)
          const timer = setInterval(() => r.write(' '), 20)
          r.on('close', () => clearInterval(timer))
        },
        /context deadline exceeded/,
      ],
      ['hangs up', (_, r) => void r.destroy(), /EOF/],
      ['hangs up in the middle', (_, r) => void head(r).write('{', () => r.destroy()), /failed: .*(EOF|aborted)/],
      ['is no JSON', (_, r) => void r.end('<html>'), /couldn't get version\/kind; json parse error/],
      ['is nested too deeply', (review, r) => void r.end(JSON.stringify(reviewed(review, ['@'])).replace('"@"', deep)), /json parse error/],
      ['is empty', (_, r) => void r.end(), /0-length response with status code: 200/],
      [
        'is another kind',
        (_, r) => void say(r, { apiVersion: 'v1', kind: 'Pod' }),
        /failed: no kind "Pod" is registered for version "v1" in scheme "pkg\/runtime\/scheme\.go:111"/,
      ],
      ['has no response', (review, r) => void say(r, { ...review, request: undefined }), /no response provided/],
      ['fails', (_, r) => void r.writeHead(500).end('oops'), /an error on the server \("oops"\) has prevented/],
      ['sends elsewhere', (_, r) => void r.writeHead(302, { location: 'https://127.0.0.1:1/' }).end(), /status code 302/],
      [
        'has another uid',
        (review, r) => void say(r, reviewed({ ...review, request: { uid: 'u', objects: [] } }, [])),
        /expected response\.uid=/,
      ],
      ['gives no object', (review, r) => void say(r, reviewed(review, [])), /returned 0 objects, expected \d/],
      [
        'is the review of another version',
        (review, r) => void say(r, { ...reviewed(review, []), apiVersion: 'apiextensions.k8s.io/v1beta1' }),
        /failed: converting \(v1beta1\.ConversionReview\) to \(v1\.ConversionReview\): unknown conversion/,
      ],
      [
        'gives no list',
        (review, r) => void say(r, reviewed(review, { a: 1 })),
        /failed: json: cannot unmarshal object into Go struct field ConversionResponse\.response\.convertedObjects of type /,
      ],
      [
        'gives one too many',
        (review, r) => void say(r, reviewed(review, [...requestOf(review).objects, requestOf(review).objects[0]])),
        /returned \d objects, expected \d/,
      ],
      ['gives no objects but numbers', spoilt(() => 5), /^json: cannot unmarshal number into Go value of type map\[string\]interface {}$/],
      ['gives objects without a kind', spoilt(() => ({})), /^Object 'Kind' is missing in '{}'$/],
      ['changes a name', spoilt((o) => void Object.assign(o.metadata, { name: 'z' })), /must have the same name: \w+ != z/],
      [
        'changes a namespace',
        spoilt((o) => void Object.assign(o.metadata, { namespace: 'z' })),
        /must have the same namespace: default != z/,
      ],
      ['changes a uid', spoilt((o) => void Object.assign(o.metadata, { uid: 'z' })), /must have the same UID: .* != z/],
      ['changes the kind', spoilt((o) => void Object.assign(o, { kind: 'Pod' })), /invalid kind \(expected thing, received Pod\)/],
      ['does not convert', (review, r) => void say(r, reviewed(review, requestOf(review).objects)), /invalid groupVersion/],
      ['leaves the metadata out', spoilt(({ metadata, ...rest }) => rest), /returned invalid object: must have the same name: \w+ != $/],
      ['answers with nothing', spoilt(() => []), /^json: cannot unmarshal array into Go value of type map\[string\]interface {}$/],
      ['takes the metadata away', spoilt((o) => ({ ...o, metadata: null })), /must have the same name: \w+ != $/],
      [
        'makes labels a number',
        spoilt((o) => void setOwn(o.metadata, 'labels', 5)),
        /invalid metadata\.labels of type \w+ in converted object/,
      ],
      [
        'makes a label a list',
        spoilt((o) => void setOwn(o.metadata, 'labels', { a: [] as Json })),
        /metadata\.labels\[a\] must be a string/,
      ],
      [
        'makes a label no label',
        spoilt((o) => void Object.assign(o.metadata, { labels: { 'a b': 'x' } })),
        /metadata\.labels: Invalid value: "a b"/,
      ],
      [
        'makes annotations a text',
        spoilt((o) => void setOwn(o.metadata, 'annotations', 'x')),
        /invalid metadata\.annotations of type string/,
      ],
    ]
    for (const [name, answer, wanted] of cases) {
      test(name, async () => {
        // Other responses come, however busy the machine is.
        patience = wanted.source === 'context deadline exceeded' ? 300 : 30_000
        webhook.answer = answer
        await harmless(wanted)
        patience = 300
      })
    }

    test('sends responses without end', async () => {
      patience = 30_000
      webhook.answer = (_, r) => flood(head(r))
      await harmless(/the answer is longer than 16777216 bytes/)
      patience = 300
    })

    test('is called once for a list, not once per object, if it does not respond', async () => {
      let requested = 0
      webhook.answer = () => requested++
      await refused(client.list(things.v2))
      assert.equal(requested, 1)
    })

    test('closed an idle connection: it is called over a new one', async () => {
      webhook.answer = honest
      await client.list(things.v2)
      await webhook.close()
      await webhook.listen(port)
      assert.equal((await client.list(things.v2)).items.length, 3)
    })

    test('is gone, and comes back', async () => {
      await webhook.close()
      const error = await refused(client.list(things.v2))
      assert.match(error.message, /conversion webhook for .*, Kind=thing failed: Post "https:.*connect: connection refused/)
      assert.equal((await client.list(things.v1)).items.length, 3)
      await webhook.listen(port)
      assert.equal((await client.list(things.v2)).items.length, 3)
    })

    test('empties labels and annotations: they are absent', async () => {
      webhook.answer = spoilt((o) => void Object.assign(o.metadata, { labels: {}, annotations: {} }))
      const { metadata } = await client.get({ ...things.v2, name: 'a' })
      assert.equal(metadata.labels, undefined)
      assert.equal(metadata.annotations, undefined)
      webhook.answer = honest
    })

    test('changes what it must not: that is put back', async () => {
      webhook.answer = spoilt((o) => {
        o.metadata.finalizers = ['x.io/y']
        o.metadata.resourceVersion = '1'
        o.metadata.creationTimestamp = null
        delete o.metadata.managedFields
        setOwn(o, '__proto__', { polluted: true })
      })
      const stored = await client.get({ ...things.v1, name: 'a' })
      const read = await client.get({ ...things.v2, name: 'a' })
      assert.deepEqual({ ...read.metadata, managedFields: [] }, { ...stored.metadata, managedFields: [] })
      assert.equal(({} as JsonObject).polluted, undefined)
      assert.equal(Object.hasOwn(read, '__proto__'), false)
    })
  })
})

/** Writes as long as the client reads. */
function flood(response: ServerResponse): void {
  const part = Buffer.alloc(1 << 20, ' ')
  const more = () => {
    while (!response.destroyed && response.write(part));
  }
  response.on('drain', more)
  more()
}

async function refused(promise: Promise<unknown>, what = ''): Promise<StatusError> {
  const error = await promise.then(
    () => assert.fail(`${what} was taken`),
    (e: unknown) => e,
  )
  assert(error instanceof StatusError, `${what}: ${error instanceof Error ? error.stack : error}`)
  return error
}

function definition(plural: string, url: string): KubeObject {
  const version = (name: string, properties: JsonObject) => ({
    name,
    served: true,
    selectableFields: Object.keys(properties).map((field) => ({ jsonPath: `.spec.${field}` })),
    storage: name === 'v1',
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { ...properties, serial: { type: 'integer', format: 'int64' } } } },
      },
    },
  })
  const kind = plural.slice(0, -1)
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, singular: kind, kind, listKind: `${kind}List` },
      versions: [version('v1', { weight: { type: 'string' } }), version('v2', { amount: { type: 'integer' }, unit: { type: 'string' } })],
      conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { url, caBundle } } },
    },
  }
}
