import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { systemClock, VirtualClock } from '../../src/base/clock.ts'
import { openCertificates } from '../../src/cluster/certificates.ts'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'
import { StatusError } from '../../src/machinery/status-error.ts'
import * as refs from '../../src/resources/refs.ts'
import type { MutatingWebhook, RuleWithOperations, ValidatingWebhook } from '../../src/resources/types/admissionregistration.ts'
import type { ConfigMap } from '../../src/resources/types/core.ts'
import { type AdmissionCall, createWebhookServer } from '../../src/sdk/sdk.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const CONFIG_MAPS = { ...refs.CONFIG_MAPS, namespace: 'default' }
const certificates = openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24' }, { clock: systemClock })
const tls = { cert: certificates.serving.certificate, key: certificates.serving.key }
const ca = certificates.ca.certificate

const configMap = (name: string, data: Record<string, string>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})

/** A webhook configuration for config maps of that kind. */
/** An object with `data`. */
interface WithData extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
  readonly extra?: number
}

function configuration<Kind extends 'Validating' | 'Mutating'>(kind: Kind, url: string) {
  const rules: RuleWithOperations[] = [
    { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] },
  ]
  const clientConfig = { url, caBundle: Buffer.from(ca).toString('base64') }
  const hook: ValidatingWebhook & MutatingWebhook = {
    name: 'hook.example.com',
    rules,
    clientConfig,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
  }
  return {
    apiVersion: 'admissionregistration.k8s.io/v1' as const,
    kind: `${kind}WebhookConfiguration` as const,
    metadata: { name: `${kind.toLowerCase()}.example.com` },
    webhooks: [hook],
  }
}

test('fields that a schema leaves open survive a chain of patching webhooks; unknown ones are dropped', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  await using webhook = createWebhookServer({
    tls,
    mutate: ({ object }: AdmissionCall<WithData>) => {
      if (object === null) return undefined
      const { data } = object
      const patched: WithData = { ...object, data: { ...data, first: data?.second ?? 'none', second: 'seen' }, extra: 1 }
      return patched
    },
  })
  const address = await webhook.listen(0)
  const schemas: readonly (readonly [plural: string, schema: JsonObject])[] = [
    ['opens', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
    ['closeds', { type: 'object', properties: { data: { type: 'object', additionalProperties: { type: 'string' } } } }],
  ]
  for (const [plural, openAPIV3Schema] of schemas) {
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }]
    await client.create(
      { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `${plural}.example.com` },
        spec: { group: 'example.com', scope: 'Namespaced', names: { plural, kind: plural.toUpperCase() }, versions },
      },
    )
  }
  const made = configuration('Mutating', `${address}/mutate`)
  const rules: RuleWithOperations[] = [{ apiGroups: ['example.com'], apiVersions: ['*'], resources: ['*'], operations: ['CREATE'] }]
  const webhooks = ['a', 'b'].flatMap((name) => made.webhooks.map((hook) => ({ ...hook, name: `${name}.example.com`, rules })))
  await client.create(refs.MUTATING_WEBHOOK_CONFIGURATIONS, { ...made, webhooks })
  const create = (plural: string) => {
    const object: WithData = { apiVersion: 'example.com/v1', kind: plural.toUpperCase(), metadata: { name: 'x' }, data: { start: 'yes' } }
    return waitFor(() => client.create({ group: 'example.com', version: 'v1', resource: plural, namespace: 'default' }, object))
  }
  const data = { start: 'yes', first: 'seen', second: 'seen' }
  const open = await create('opens')
  assert.deepEqual([open.data, open.extra], [data, 1])
  const closed = await create('closeds')
  assert.deepEqual([closed.data, closed.extra], [data, undefined])
})

test('admission webhooks of the SDK mutate and refuse objects', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  await using webhook = createWebhookServer({
    tls,
    mutate: ({ object, operation }) => {
      if (object === null || operation !== 'CREATE') return undefined
      return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, 'example.com/seen': 'yes' } } }
    },
    validate: ({ object, oldObject }: AdmissionCall<ConfigMap>) => {
      if (object?.data?.broken) throw new TypeError('the webhook stumbled')
      if (object?.data?.taken) throw new StatusError({ code: 409, reason: 'Conflict', message: 'taken' })
      return oldObject !== null && oldObject.data?.a !== object?.data?.a ? 'a must stay' : undefined
    },
  })
  const address = await webhook.listen(0)
  const at = (resource: string) => ({ group: 'admissionregistration.k8s.io', version: 'v1', resource })
  await client.create(at('mutatingwebhookconfigurations'), configuration('Mutating', `${address}/mutate`))
  await client.create(at('validatingwebhookconfigurations'), configuration('Validating', `${address}/validate`))

  const made = await client.create(CONFIG_MAPS, configMap('x', { a: '1' }))
  assert.deepEqual(made.metadata.labels, { 'example.com/seen': 'yes' })
  const refusals: [() => Promise<unknown>, number, string][] = [
    [
      () => client.patch({ ...CONFIG_MAPS, name: 'x' }, 'merge', { data: { a: '2' } }),
      403,
      'admission webhook "hook.example.com" denied the request: a must stay',
    ],
    [
      () => client.create(CONFIG_MAPS, configMap('y', { taken: 'x' })),
      409,
      'admission webhook "hook.example.com" denied the request: taken',
    ],
    [
      () => client.create(CONFIG_MAPS, configMap('z', { broken: 'x' })),
      500,
      'Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: the webhook stumbled',
    ],
  ]
  for (const [attempt, code, message] of refusals) {
    await assert.rejects(attempt(), (e: unknown) => {
      assert(e instanceof StatusError)
      assert.deepEqual([e.code, e.message], [code, message])
      return true
    })
  }
  const stored = await client.list(CONFIG_MAPS)
  assert.deepEqual(
    stored.items.map((o) => o.metadata.name).filter((n) => n !== 'kube-root-ca.crt'),
    ['x'],
  )
})

test("the SDK's server responds with a Status to an invalid review, and continues", async () => {
  await using webhook = createWebhookServer({ tls, validate: () => undefined, maxBytes: 1000 })
  const address = await webhook.listen(0)
  const call = async (method: string, path: string, body: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>()
    const request = https.request(`${address}${path}`, { method, ca, agent: false }, async (response) => {
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part)
      resolve(JSON.parse(Buffer.concat(parts).toString()))
    })
    request.on('error', reject)
    request.end(body)
    return promise
  }
  const coded = async (...args: Parameters<typeof call>) => {
    const { kind, code } = await call(...args)
    return [kind, code]
  }
  const review = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid: 'u' } })
  assert.deepEqual(await coded('GET', '/validate', ''), ['Status', 405])
  assert.deepEqual(await coded('POST', '/elsewhere', review), ['Status', 404])
  assert.deepEqual(await coded('POST', '/validate', '{'), ['Status', 400])
  assert.deepEqual(await coded('POST', '/validate', '{}'), ['Status', 400])
  assert.deepEqual(await coded('POST', '/validate', `"${'x'.repeat(2000)}"`), ['Status', 413])
  assert.deepEqual(await call('POST', '/validate?timeout=10s', review), {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u', allowed: true },
  })
})

test('a port that is taken is an error of listen', async () => {
  await using first = createWebhookServer({ tls })
  await using second = createWebhookServer({ tls })
  const { port } = new URL(await first.listen(0))
  await assert.rejects(second.listen(Number(port)), /EADDRINUSE/)
})

/** Sends one request to the webhook itself. */
function ask(address: string, path: string, body?: string): Promise<{ code: number; text: string; serial: string }> {
  return new Promise((resolve, reject) => {
    const request = https.request(`${address}${path}`, { ca, method: body === undefined ? 'GET' : 'POST', agent: false }, (response) => {
      const { serialNumber: serial } = (response.socket as TLSSocket).getPeerCertificate()
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('end', () => resolve({ code: response.statusCode ?? 0, text, serial }))
    })
    request.on('error', reject).end(body)
  })
}

const review = (apiVersion: string, kind: string, request: object) =>
  JSON.stringify({ apiVersion, kind, request: { uid: 'u', ...request } })

test('a webhook server has many paths, a readiness page, and reloads its certificate', async () => {
  let why: string | undefined = 'still reading'
  await using webhook = createWebhookServer({
    tls,
    host: '0.0.0.0',
    notReady: () => why,
    validate: () => 'no',
    paths: {
      '/gadgets': { validate: () => undefined },
      '/to-v2': { conversion: (objects, apiVersion) => objects.map((o) => ({ ...o, apiVersion })) },
    },
  })
  const address = await webhook.listen(0)
  assert.match(address, /^https:\/\/127\.0\.0\.1:\d+$/)
  assert.deepEqual(await ask(address, '/readyz').then(({ code, text }) => [code, text]), [503, 'still reading'])
  why = undefined
  const before = await ask(address, '/readyz')
  assert.equal(before.code, 200)
  const admission = review('admission.k8s.io/v1', 'AdmissionReview', { operation: 'CREATE', object: null })
  assert.equal(JSON.parse((await ask(address, '/validate', admission)).text).response.allowed, false)
  assert.equal(JSON.parse((await ask(address, '/gadgets', admission)).text).response.allowed, true)
  const objects = [{ apiVersion: 'a/v1', kind: 'K', metadata: {} }]
  const conversion = review('apiextensions.k8s.io/v1', 'ConversionReview', { desiredAPIVersion: 'a/v2', objects })
  assert.equal(JSON.parse((await ask(address, '/to-v2', conversion)).text).response.convertedObjects[0].apiVersion, 'a/v2')
  assert.equal((await ask(address, '/constructor', admission)).code, 404)

  assert.throws(() => webhook.renew({ cert: tls.cert, key: other.serving.key }), /key values mismatch/)
  assert.equal((await ask(address, '/readyz')).serial, before.serial)
  const renewed = openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24' }, { clock: systemClock })
  webhook.renew({ cert: renewed.serving.certificate, key: renewed.serving.key })
  await assert.rejects(ask(address, '/readyz'), 'signed by another authority')
})

const other = openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24' }, { clock: systemClock })

test('certificates in files are taken when they change, and kept when the new ones do not fit', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-webhook-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [certFile, keyFile] = [path.join(folder, 'tls.crt'), path.join(folder, 'tls.key')]
  const write = (cert: string, key: string) => {
    writeFileSync(certFile, cert)
    writeFileSync(keyFile, key)
  }
  write(tls.cert, tls.key)
  const clock = new VirtualClock()
  await using webhook = createWebhookServer({ tls: { certFile, keyFile }, clock, validate: () => 'no' })
  const address = await webhook.listen(0)
  const { serial } = await ask(address, '/readyz')
  write(tls.cert, other.serving.key)
  await clock.advance(60_000)
  assert.equal((await ask(address, '/readyz')).serial, serial)
  write(other.serving.certificate, other.serving.key)
  await clock.advance(60_000)
  await assert.rejects(ask(address, '/readyz'), 'signed by another authority')
})
