import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { applyJsonPatch, decodeJsonPatch } from '../../machinery/json/json-patch.ts'
import { cloneJson, type Json, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { answerReview, type WebhookHandlers } from './answer-review.ts'
import { diffPatch } from './diff-patch.ts'

const toJson = (object: KubeObject) => cloneJson<unknown>(object) as Json
const thing = (name: string): KubeObject => ({ apiVersion: 'g.io/v1', kind: 'Thing', metadata: { name }, spec: { a: 1 } })
const conversionReview = (...names: string[]): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  request: { uid: 'u1', desiredAPIVersion: 'g.io/v2', objects: names.map((n) => toJson(thing(n))) },
})
const admissionReview = (object: KubeObject): JsonObject => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u2', operation: 'CREATE', object: toJson(object), oldObject: null },
})
const response = async (path: string, review: JsonObject, handlers: WebhookHandlers): Promise<JsonObject> => {
  const answer = await answerReview(path, review, handlers)
  assert.deepEqual([answer.apiVersion, answer.kind], [review.apiVersion, review.kind])
  return answer.response as JsonObject
}

describe('conversion', () => {
  test('gives the objects back under the uid of the request', async () => {
    const conversion: WebhookHandlers['conversion'] = (objects, apiVersion) => objects.map((o) => ({ ...o, apiVersion }))
    assert.deepEqual(await response('/convert', conversionReview('x', 'y'), { conversion }), {
      uid: 'u1',
      result: { status: 'Success' },
      convertedObjects: ['x', 'y'].map((n) => ({ ...thing(n), apiVersion: 'g.io/v2' })),
    })
  })

  const faults: [string, NonNullable<WebhookHandlers['conversion']>, string][] = [
    ['too few objects', () => [], 'the conversion gave 0 objects for 1'],
    ['another version', (objects) => objects, 'the conversion gave g.io/v1 where g.io/v2 is wanted'],
    [
      'an error',
      () => {
        throw new Error('no way back')
      },
      'no way back',
    ],
  ]
  for (const [name, conversion, message] of faults) {
    test(`${name}: a failure with a message`, async () => {
      const answer = await response('/convert', conversionReview('x'), { conversion })
      assert.deepEqual(answer, { uid: 'u1', result: { status: 'Failure', message }, convertedObjects: [] })
    })
  }
})

describe('admission', () => {
  const validated = (validate: WebhookHandlers['validate']) =>
    response('/validate', admissionReview(thing('x')), { ...(validate && { validate }) })
  const refused = (code: number, message: string) => ({ status: 'Failure', code, message })

  test('nothing allows, a text refuses, a verdict is taken as it is', async () => {
    assert.deepEqual(await validated(() => undefined), { uid: 'u2', allowed: true })
    assert.deepEqual(await validated(({ object }) => `no ${object?.metadata.name}`), {
      uid: 'u2',
      allowed: false,
      status: refused(403, 'no x'),
    })
    const verdict = { allowed: false, message: 'full', code: 409, warnings: ['w'] }
    assert.deepEqual(await validated(() => verdict), { uid: 'u2', allowed: false, status: refused(409, 'full'), warnings: ['w'] })
  })

  test('a StatusError refuses; any other error is a fault of the webhook', async () => {
    const answer = await validated(() => {
      throw new StatusError({ code: 422, reason: 'Invalid', message: 'bad' })
    })
    assert.equal(answer.allowed, false)
    assert.equal((answer.status as JsonObject).message, 'bad')
    const fault = validated(() => {
      throw new TypeError('oops')
    })
    await assert.rejects(fault, (e: unknown) => e instanceof StatusError && e.code === 500 && e.message === 'oops')
  })

  test('a changed object becomes a patch, and the handler may change what it was given', async () => {
    const mutate: WebhookHandlers['mutate'] = ({ object }) => {
      if (object === null) return undefined
      object.metadata.labels = { 'a/b~c': 'x' }
      object.spec = { b: [1] }
      return object
    }
    const answer = await response('/mutate', admissionReview(thing('x')), { mutate })
    assert.equal(answer.patchType, 'JSONPatch')
    const steps = decodeJsonPatch(JSON.parse(Buffer.from(String(answer.patch), 'base64').toString()))
    const wanted = { ...thing('x'), metadata: { name: 'x', labels: { 'a/b~c': 'x' } }, spec: { b: [1] } }
    assert.deepEqual(applyJsonPatch(toJson(thing('x')), steps), wanted)
    assert.deepEqual(await response('/mutate', admissionReview(thing('x')), { mutate: ({ object }) => object ?? undefined }), {
      uid: 'u2',
      allowed: true,
    })
  })
})

test('what is no review, or is served nowhere, is an error with a code', async () => {
  const code = (path: string, review: Json, handlers: WebhookHandlers) =>
    answerReview(path, review, handlers).then(
      () => 200,
      (e: unknown) => (e instanceof StatusError ? e.code : 0),
    )
  const validate = () => undefined
  assert.equal(await code('/validate', [], { validate }), 400)
  assert.equal(await code('/validate', conversionReview('x'), { validate }), 400)
  assert.equal(await code('/validate', { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }, { validate }), 400)
  assert.equal(await code('/mutate', admissionReview(thing('x')), { validate }), 404)
})

test('the difference of two objects, with keys that need escaping', () => {
  const before = JSON.parse('{"a":{"x":1,"y":null,"__proto__":1},"b":[1,2],"c":"same","d/e":1}')
  const after = JSON.parse('{"a":{"x":2,"z":{}},"b":[1],"c":"same","d/e":2}')
  const steps = diffPatch(before, after)
  assert.equal(
    steps.some((s) => s.path === '/c' || s.path === ''),
    false,
  )
  assert.deepEqual(applyJsonPatch(before, decodeJsonPatch(steps)), after)
})
