import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'
import { issueCertificate, issuerFrom, newKeyPair } from '../../src/machinery/x509/certificate.ts'
import { EVENTS, NODES, PODS, SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import type { Node, Pod } from '../../src/resources/types/core.ts'
import type { Client, ResourceRef } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { upstream } from '../upstream.ts'
import { targetOf } from './scheduler-objects.ts'

/** The recorded extender scenarios with server and scheduler: a real HTTP server responds as recorded, and records its requests. */
const file = path.join(upstream, 'scheduler', 'extenders.json')

interface Answer {
  readonly body?: unknown
  readonly raw?: string
  readonly status?: number
  readonly type?: string
  readonly location?: string
  readonly delayMs?: number
  readonly hangUp?: boolean
  readonly binds?: boolean
}

interface Look {
  readonly node: string | null
  readonly nominated?: string
  readonly anyOf?: readonly string[]
  readonly conditions: readonly JsonObject[]
  readonly events?: readonly JsonObject[] | undefined
  readonly scores?: unknown
}

interface Scenario {
  readonly id: string
  readonly extenders: readonly JsonObject[]
  readonly config?: JsonObject
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[]
  readonly existing?: readonly Pod[]
  readonly extra?: readonly { readonly path: string; readonly body: KubeObject }[]
  readonly answers: Readonly<Record<string, Answer | readonly Answer[]>>
  readonly then?: readonly { readonly node?: Node; readonly method?: string; readonly path?: string; readonly body?: KubeObject }[]
  readonly full?: boolean
  readonly preempt?: boolean
  readonly waitBound?: boolean
  readonly expect: {
    readonly calls?: readonly JsonObject[]
    readonly pods?: Readonly<Record<string, Look>>
    readonly first?: Look
    readonly victims?: readonly string[]
    readonly victimEvents?: Readonly<Record<string, readonly JsonObject[]>>
    readonly callsBeforeVictimsGo?: number
    readonly callsBeforeThen?: number
    readonly startFails?: string
  }
}

/** Intended differences from the recording, with their reasons. */
const BETTER: Readonly<Record<string, string>> = {
  'refused pod is asked again when a node comes':
    'upstream asks once more with the old nodes, for the pod wakes from back-off before the node event; which comes first is chance',
}

const pem = (key: ReturnType<typeof newKeyPair>['privateKey']) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

/** Two authorities; the certificates of the extender and its client are by the first. */
function makeCertificates(dir: string) {
  const span = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 86_400_000 }
  const authority = (commonName: string) => {
    const pair = newKeyPair()
    const subject = { commonName, organizations: [] }
    const certificate = issueCertificate(
      { subject, publicKey: pair.publicKey, ...span, authority: true },
      { key: pair.privateKey, subject },
    )
    return { certificate, key: pem(pair.privateKey) }
  }
  const ca = authority('ext-ca')
  const leaf = (commonName: string, usage: 'server' | 'client') => {
    const pair = newKeyPair()
    const names = usage === 'server' ? { dnsNames: ['extender.example.com'], ipAddresses: ['127.0.0.1'] } : {}
    const request = { subject: { commonName, organizations: [] }, publicKey: pair.publicKey, ...span, usages: [usage], ...names }
    return { cert: issueCertificate(request, issuerFrom(ca.certificate, ca.key)), key: pem(pair.privateKey) }
  }
  const client = leaf('ext-client', 'client')
  writeFileSync(path.join(dir, 'ext-ca.crt'), ca.certificate)
  writeFileSync(path.join(dir, 'other-ca.crt'), authority('other-ca').certificate)
  writeFileSync(path.join(dir, 'ext-client.crt'), client.cert)
  writeFileSync(path.join(dir, 'ext-client.key'), client.key)
  return { ca: ca.certificate, server: leaf('extender', 'server') }
}

type Calls = JsonObject[]

/** Objects of a request, by names like `Node n1`. */
const seenIn = (body: JsonObject): Map<string, KubeObject> =>
  new Map(((body.Nodes as JsonObject | null)?.items as KubeObject[] | undefined)?.map((n) => [n.metadata.name ?? '', n]) ?? [])

class ExtenderDouble {
  readonly calls: Calls = []
  readonly #counts = new Map<string, number>()
  scenario: Scenario | undefined
  client: Client | undefined
  uids = new Map<string, string>()

  readonly handle = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const text = Buffer.concat(parts).toString()
    const body: JsonObject = text === '' ? {} : JSON.parse(text)
    const url = request.url ?? ''
    const socket = request.socket as TLSSocket
    const tls = socket.encrypted === true
    this.calls.push({
      request: `${request.method} ${url}`,
      headers: request.headers,
      http: request.httpVersion,
      ...(tls ? { tls, clientCertificate: socket.getPeerCertificate().subject?.CN ?? null } : {}),
      body,
    })
    const key = url.slice(1)
    const answers = this.scenario?.answers[key]
    const n = this.#counts.get(key) ?? 0
    this.#counts.set(key, n + 1)
    const answer = Array.isArray(answers) ? answers[Math.min(n, answers.length - 1)] : answers
    await this.#answer(answer ?? { status: 404, raw: '' }, body, response)
  }

  async #answer(answer: Answer, body: JsonObject, response: ServerResponse) {
    if (answer.hangUp) {
      response.destroy()
      return
    }
    if (answer.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.delayMs).unref())
    if (answer.binds) await this.#bind(body)
    response.statusCode = answer.status ?? 200
    response.setHeader('content-type', answer.type ?? 'application/json')
    if (answer.location !== undefined) response.setHeader('location', answer.location)
    response.end(answer.raw ?? JSON.stringify(this.#filled(answer.body ?? {}, body)))
  }

  async #bind({ PodNamespace, PodName, PodUID, Node }: JsonObject) {
    const target = { ...PODS, namespace: String(PodNamespace), name: String(PodName), subresource: 'binding' }
    const metadata = { name: String(PodName), namespace: String(PodNamespace), uid: String(PodUID) }
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata, target: { kind: 'Node', name: Node } }
    await this.client?.create<KubeObject>(target, binding)
  }

  #filled(value: unknown, requested: JsonObject): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#filled(item, requested))
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, this.#filled(v, requested)]))
    }
    if (typeof value !== 'string') return value
    const node = /^<Node (.*)>$/.exec(value)?.[1]
    if (node !== undefined) return seenIn(requested).get(node) ?? { metadata: { name: node } }
    const uid = /^<uid of (.*)>$/.exec(value)?.[1]
    return uid === undefined ? value : (this.uids.get(uid) ?? uid)
  }
}

/** Whether it becomes true within so many checks, 10 ms apart. */
const until = (look: () => Promise<boolean>, tries = 250): Promise<boolean> =>
  waitFor(look, { timeoutMs: tries * 10, everyMs: 10 }).catch(() => false)

async function createWithStatus(
  client: Client,
  ref: ResourceRef & { readonly namespace?: string },
  object: KubeObject,
  status = object.status,
) {
  const created = await client.create(ref, object)
  if (status !== undefined && created.metadata.name !== undefined)
    await client.patch({ ...ref, name: created.metadata.name, subresource: 'status' }, 'merge', { status })
}

async function createNode(client: Client, node: Node) {
  await client.create(NODES, node)
  await client.patch({ ...NODES, name: node.metadata.name ?? '' }, 'merge', { spec: { taints: node.spec?.taints ?? null } })
}

/** In the recording's format: known objects by name, and placeholders for what differs from run to run. */
function normalized(value: unknown, names: (text: string) => string, full: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => normalized(item, names, full))
  if (typeof value === 'string') return names(value)
  if (typeof value !== 'object' || value === null) return value
  const { metadata, spec } = value as Partial<KubeObject>
  if (!full && metadata?.name !== undefined && (spec !== undefined || metadata.uid !== undefined)) {
    return metadata.namespace === undefined ? `<Node ${metadata.name}>` : `<Pod ${metadata.namespace}/${metadata.name}>`
  }
  const out: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    if (key === 'managedFields') continue
    if (key === 'resourceVersion') out[key] = '<rv>'
    else if (key === 'creationTimestamp' || key === 'startTime') out[key] = '<time>'
    else if (key === 'uid' && !names(String(item)).startsWith('<')) out[key] = '<uid>'
    else out[key] = normalized(item, names, full)
  }
  return out
}

const withoutManaged = (value: unknown): unknown => normalized(value, (text) => text, true)

function sortedNodes(call: JsonObject): JsonObject {
  const items = (call.body as { Nodes?: { items?: unknown[] } }).Nodes?.items
  if (Array.isArray(items)) items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  const names = (call.body as JsonObject)?.NodeNames
  if (Array.isArray(names)) names.sort()
  return call
}

test('every recorded extender scenario has the same outcome on a running cluster', async (t) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'extender-'))
  const certificates = makeCertificates(dir)
  let double = new ExtenderDouble()
  const handle = (request: IncomingMessage, response: ServerResponse) => void double.handle(request, response)
  const plain = http.createServer(handle).listen(0, '127.0.0.1')
  const secure = https
    .createServer({ ...certificates.server, ca: certificates.ca, requestCert: true, rejectUnauthorized: false }, handle)
    .listen(0, '127.0.0.1')
  const closed = http.createServer().listen(0, '127.0.0.1')
  await Promise.all([plain, secure, closed].map((s) => new Promise((resolve) => (s.listening ? resolve(0) : s.once('listening', resolve)))))
  const address = (s: http.Server | https.Server) => `127.0.0.1:${(s.address() as AddressInfo).port}`
  const places: readonly (readonly [string, string])[] = [
    ['<extender-tls>', address(secure)],
    ['<extender>', address(plain)],
    ['<closed>', address(closed)],
    ['<dir>', dir],
  ]
  await new Promise((resolve) => closed.close(resolve))
  const put = <T>(value: T): T => JSON.parse(places.reduce((text, [mark, real]) => text.replaceAll(mark, real), JSON.stringify(value)))
  const scenarios = JSON.parse(readFileSync(file, 'utf8')) as Scenario[]
  const only = process.env.ONLY
  try {
    for (const scenario of scenarios) {
      if ((only !== undefined && !scenario.id.includes(only)) || BETTER[scenario.id] !== undefined) continue
      await t.test(scenario.id, async () => {
        double = new ExtenderDouble()
        double.scenario = put(scenario)
        await run({ ...double.scenario, expect: scenario.expect }, double, places)
      })
    }
  } finally {
    plain.closeAllConnections()
    secure.closeAllConnections()
    plain.close()
    secure.close()
    rmSync(dir, { recursive: true })
  }
})

async function run(scenario: Scenario, double: ExtenderDouble, places: readonly (readonly [string, string])[]) {
  const given = scenario.config ?? {}
  const schedulerConfig: JsonObject = {
    percentageOfNodesToScore: 100,
    podInitialBackoffSeconds: 60,
    podMaxBackoffSeconds: 60,
    ...given,
    extenders: [...scenario.extenders] as JsonObject[],
  }
  const { expect } = scenario
  await using cluster = await startCluster({ parts: ['server', 'scheduler'], schedulerConfig })
  if (expect.startFails !== undefined) {
    const died = await Promise.race([cluster.failed.then((e) => e), new Promise((resolve) => setTimeout(resolve, 3000, undefined))])
    assert.ok(
      String(died).includes(expect.startFails) || String((died as Error | undefined)?.cause).includes(expect.startFails),
      String(died),
    )
    return
  }
  const client = cluster.client()
  double.client = client
  await client
    .create({ ...SERVICE_ACCOUNTS, namespace: 'default' }, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } })
    .catch(() => {})
  for (const { path: url, body } of scenario.extra ?? []) {
    const status = body.kind === 'PersistentVolume' ? { phase: 'Available' } : body.status
    await createWithStatus(client, targetOf(url), body, status)
  }
  for (const node of scenario.nodes) await createNode(client, node)
  for (const [i, pod] of (scenario.existing ?? []).entries()) {
    const startTime = `2026-01-01T00:${String(i).padStart(2, '0')}:00Z`
    await createWithStatus(client, { ...PODS, namespace: pod.metadata.namespace ?? 'default' }, pod, { phase: 'Running', startTime })
  }
  const note = async () => {
    const { items } = await client.list({ ...PODS })
    for (const p of items) double.uids.set(`${p.metadata.namespace}/${p.metadata.name}`, p.metadata.uid ?? '')
  }
  await note()
  const names = (text: string): string => {
    let out = text
    for (const [name, uid] of double.uids) out = out.replaceAll(uid, `<uid of ${name}>`)
    for (const [mark, real] of places) out = out.replaceAll(real, mark)
    return out.replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<suffix>')
  }
  const podNow = (name: string) => client.get({ ...PODS, namespace: 'default', name }).catch(() => undefined)
  const lookAt = async (name: string): Promise<JsonObject> => {
    const pod = await podNow(name)
    const { items } = await client.list({ ...EVENTS, namespace: 'default' })
    const events = items
      .filter((e) => e.regarding?.name === name && e.reason !== 'Preempted')
      .sort((a, b) => (String(a.eventTime) < String(b.eventTime) ? -1 : 1))
      .map(({ type, reason, action, reportingController: from, note: message }) => ({ type, reason, action, from, message }))
    const conditions = (pod?.status?.conditions ?? []).map(({ type, status, reason, message }) => ({
      type,
      status,
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
    }))
    const nominated = pod?.status?.nominatedNodeName
    const look = { node: pod?.spec.nodeName ?? null, ...(nominated ? { nominated } : {}), conditions, events }
    return normalized(look, names, true) as JsonObject
  }
  const matches = async (name: string, want: Look): Promise<boolean> => {
    const found = await lookAt(name)
    return isEqual(comparable(found, want), comparable(want as unknown as JsonObject, want))
  }
  const calls = () =>
    double.calls.map((call) => {
      const { request, headers, http: version, tls, clientCertificate, body } = call
      const about = normalized(body, names, scenario.full === true)
      if (!scenario.full) return sortedNodes({ request, body: about as JsonObject })
      const { host: _h, connection: _c, ...rest } = headers as JsonObject
      return sortedNodes({
        request,
        headers: { ...rest, ...(rest['content-length'] === undefined ? {} : { 'content-length': '<length>' }) },
        http: version,
        ...(tls === undefined ? {} : { tls, clientCertificate }),
        body: about as JsonObject,
      } as JsonObject)
    })
  const wanted = (expect.calls ?? []).map((call) => sortedNodes(withoutManaged(call) as JsonObject))
  const wantedPods = Object.entries(expect.pods ?? {})
  const decided = async (name: string) => {
    const pod = await podNow(name)
    return Boolean(pod?.spec.nodeName) || (pod?.status?.conditions ?? []).length > 0
  }
  for (const pod of scenario.pods) {
    await client.create({ ...PODS, namespace: 'default' }, pod)
    await note()
    await until(
      () => decided(pod.metadata.name ?? ''),
      scenario.id.includes('answered but not done') || scenario.id.includes('claim that waits') ? 40 : 350,
    )
  }
  if (scenario.preempt === true && expect.first !== undefined) {
    const [last] = scenario.pods.slice(-1)
    const name = last?.metadata.name ?? ''
    const { first } = expect
    await until(async () => double.calls.length >= (expect.callsBeforeVictimsGo ?? 0) && matches(name, withoutEvents(first)))
    assert.deepEqual(
      comparable(await lookAt(name), withoutEvents(first)),
      comparable(first as unknown as JsonObject, first),
      'before the victims go',
    )
    const leaving = async () =>
      (await client.list({ ...PODS })).items.filter((p) => p.metadata.deletionTimestamp !== undefined).map((p) => p.metadata.name ?? '')
    await until(async () => (await leaving()).length >= (expect.victims?.length ?? 0))
    const victims = await leaving()
    assert.deepEqual(victims.toSorted(), [...(expect.victims ?? [])].sort())
    for (const victim of victims) await client.delete({ ...PODS, namespace: 'default', name: victim }, { gracePeriodSeconds: 0 })
  }
  if (scenario.then !== undefined) {
    await until(async () => double.calls.length >= (expect.callsBeforeThen ?? 0))
    for (const { node, method, path: url = '', body } of scenario.then) {
      const target = targetOf(url)
      if (node !== undefined) await createNode(client, node)
      else if (method === 'DELETE') await client.delete(target, { gracePeriodSeconds: 0 })
      else if (method === 'PATCH') await client.patch(target, 'merge', body ?? {})
      else if (body !== undefined) await client.create(target, body)
    }
  }
  await until(async () => {
    if (!isEqual(byRequest(calls()), byRequest(wanted))) return false
    for (const [name, want] of wantedPods) if (!(await matches(name, want))) return false
    return true
  })
  // Time for an unexpected call.
  await new Promise((resolve) => setTimeout(resolve, 60))
  assert.deepEqual(byRequest(calls()), byRequest(wanted), 'calls')
  for (const [name, want] of wantedPods) {
    assert.deepEqual(comparable(await lookAt(name), want), comparable(want as unknown as JsonObject, want), `pod ${name}`)
  }
}

/** Extenders are called concurrently for scores: the order of those calls is undefined. */
const byRequest = (calls: readonly JsonObject[]) => {
  const scoring = (c: JsonObject) => /prioritize|score/.test(String(c.request))
  return [...calls.filter((c) => !scoring(c)), ...calls.filter(scoring).sort((a, b) => (String(a.request) < String(b.request) ? -1 : 1))]
}

/** Any of several tied nodes may be chosen; then events are compared without the node. */
function comparable(look: JsonObject, want: Look): JsonObject {
  const { scores: _s, anyOf: _a, events, ...rest } = look
  const text = (e: JsonObject) =>
    want.anyOf === undefined ? e : { ...e, message: String(e.message).replace(/ to n\d$/, ' to <one of them>') }
  const shown = want.events === undefined ? {} : { events: ((events ?? []) as JsonObject[]).map(text) }
  const node = want.anyOf?.includes(String(rest.node)) ? '<one of them>' : rest.node
  return { ...rest, node, ...shown } as JsonObject
}

const withoutEvents = (look: Look): Look => ({ ...look, events: undefined })

const isEqual = (a: unknown, b: unknown): boolean => {
  try {
    assert.deepEqual(a, b)
    return true
  } catch {
    return false
  }
}
