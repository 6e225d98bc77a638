/** The parts of `npm run differ` that need no server: what is drawn, and how a difference becomes small. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Case } from '../../scripts/differ/case.ts'
import type { Comparison } from '../../scripts/differ/compare.ts'
import { CUSTOM_SAMPLES } from '../../scripts/differ/custom-kinds.ts'
import { caseSource, FAMILIES, OF_KIND } from '../../scripts/differ/draw-case.ts'
import { answeredReview, webhookUrl } from '../../scripts/differ/drawn-webhook.ts'
import type { Kind } from '../../scripts/differ/kinds.ts'
import { minimise } from '../../scripts/differ/minimise.ts'
import { reasonOf } from '../../scripts/differ/on-purpose.ts'
import { readRuleTables } from '../../scripts/differ/rule-tables.ts'
import { Schemas } from '../../scripts/differ/schema.ts'
import { signatureOf } from '../../scripts/differ/signature.ts'
import { asKubeObject } from '../../src/machinery/object.ts'

const collection = '/apis/differ.bowsprit.dev/v1/namespaces/{ns}/widgets'
const samples = CUSTOM_SAMPLES[collection] ?? []
const schemas = new Schemas({
  'x.Widget': {
    type: 'object',
    properties: { spec: { $ref: '#/components/schemas/x.Spec' } },
    'x-kubernetes-group-version-kind': [{ group: 'differ.bowsprit.dev', version: 'v1', kind: 'Widget' }],
  },
  'x.Spec': { type: 'object', properties: { size: { type: 'integer' }, parts: { type: 'array', items: { type: 'string' } } } },
})
const WIDGETS: Kind = {
  ...{ collection, samples, schemas, plural: 'widgets', namespaced: true, apiVersion: 'differ.bowsprit.dev/v1', kind: 'Widget' },
  verbs: ['create', 'get'],
  subresources: [{ name: 'status', kind: 'Widget', apiVersion: 'differ.bowsprit.dev/v1', verbs: ['get', 'patch', 'update'] }],
  schema: schemas.ofKind('differ.bowsprit.dev', 'v1', 'Widget') ?? {},
  tables: [
    {
      object: asKubeObject({ metadata: { name: 'w' }, spec: { size: 1 }, status: { ready: 1 } }),
      creates: ['spec.size = 2', '-spec.size', 'spec.parts = [a]', 'spec.parts[0].b = c'],
      updates: { '': ['spec.size = 3 -> spec.size = 4', 'spec.parts = [x]'], status: ['status.ready = 2', '-status'] },
    },
  ],
}

const drawn = (seed: number, only?: readonly string[]) =>
  Array.from({ length: 40 }, caseSource(seed, { kinds: [WIDGETS], ...(only && { only }) }))

test('the same seed gives the same cases, and another seed others', () => {
  assert.deepEqual(drawn(5), drawn(5))
  assert.notDeepEqual(drawn(5)[0]?.steps, drawn(6)[0]?.steps)
})

for (const family of Object.keys(FAMILIES))
  test(`the family ${family} draws different requests for the kind`, () => {
    const steps = drawn(1, [family]).flatMap((c) => c.steps)
    assert.ok(steps.length >= 40)
    assert.ok(new Set(steps.map((s) => JSON.stringify(s))).size > 20)
    if (family in OF_KIND) assert.ok(steps.every((s) => s.path.startsWith('/apis/differ.bowsprit.dev/')))
  })

test('an object is stored as a row wants it, with its status, before other rows are tried on it', () => {
  const cases = drawn(4, ['rules']).map(({ steps }) => steps.map((s) => `${s.do} ${s.path.slice(collection.length)}`))
  const stored = ['POST ', 'PUT /a/status']
  const tries = ['PUT /a?dryRun=All', 'PATCH /a?dryRun=All', 'PUT /a/status?dryRun=All', 'PATCH /a/status?dryRun=All']
  for (const steps of cases.filter(([first]) => first === 'POST ')) assert.deepEqual(steps.slice(0, 2), stored)
  const others = new Set(cases.flat().filter((step) => !stored.includes(step)))
  assert.deepEqual([...others].sort(), ['POST ?dryRun=All', ...tries].sort())
})

test('the tables of rules are read by their collections, without running their tests', async () => {
  const tables = await readRuleTables()
  assert.ok(tables.size > 50)
  assert.ok(tables.get('/api/v1/namespaces/{ns}/pods')?.some(({ updates }) => updates.resize !== undefined))
  assert.ok(tables.get('/apis/batch/v1/namespaces/{ns}/jobs')?.every(({ creates, object }) => Array.isArray(creates) && object.metadata))
})

test('objects of resources that concern other cases are created in dry runs alone, and their collections are not deleted', () => {
  const only = Object.keys(OF_KIND)
  const nodes = { ...WIDGETS, collection: '/api/v1/storageclasses', plural: 'storageclasses', namespaced: false }
  const steps = Array.from({ length: 60 }, caseSource(2, { kinds: [nodes], only })).flatMap((c) => c.steps)
  assert.ok(steps.every((s) => s.path.includes('dryRun=All')))
  const all = Array.from({ length: 60 }, caseSource(3, { kinds: [{ ...nodes, plural: 'nodes' }], only })).flatMap((c) => c.steps)
  assert.ok(all.some((s) => s.do === 'DELETE'))
  assert.ok(all.every((s) => s.do !== 'DELETE' || s.path.includes('{ns}')))
})

test('objects that a case creates outside of its namespace are removed at its end', () => {
  const cases = drawn(7, ['webhooks'])
  for (const { steps, cleanup = [] } of cases)
    for (const { do: verb, path } of steps)
      if (verb === 'POST' && path.includes('webhookconfigurations')) assert.ok(cleanup.includes(`${path}/{ns}.example.com`))
})

test('a drawn webhook answers rightly, but for what is drawn', () => {
  const request = { uid: 'u', userInfo: { username: 'a' }, operation: 'CREATE' }
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }
  const { request: _, ...identity } = review
  assert.deepEqual(answeredReview(review, {}), { ...identity, response: { uid: 'u', allowed: true } })
  assert.deepEqual(answeredReview(review, { review: { kind: null }, response: { uid: null, allowed: false }, echo: true }), {
    apiVersion: 'admission.k8s.io/v1',
    response: { allowed: false, status: { message: '{"operation":"CREATE"}' } },
  })
  const conversion = { uid: 'u', desiredAPIVersion: 'a/v2', objects: [{ apiVersion: 'a/v1', spec: { b: 1 } }] }
  assert.deepEqual(answeredReview({ ...review, request: conversion }, { objects: { spec: { b: null } } }), {
    ...identity,
    response: { uid: 'u', result: { status: 'Success' }, convertedObjects: [{ apiVersion: 'a/v2', spec: {} }] },
  })
  assert.match(webhookUrl({ code: 500 }), /^\{webhook\}\/[\w-]+$/)
})

/** A comparison by which the answers differ when a step has both members, and an option that has to stay. */
async function differs(cases: readonly Case[]): Promise<Comparison> {
  const differences = cases.flatMap((c) => {
    const at = c.steps.findIndex((s) => s.path.includes('force') && JSON.stringify(s.body ?? '').includes('"bad":1'))
    return at === -1 ? [] : [{ case: c, why: `step ${at + 1} PATCH /x /body/spec/size: want 1, got ${at}` }]
  })
  return { differences, requests: cases.length }
}

test('a difference is reduced to the steps, options and members that it needs', async () => {
  const needed = { do: 'PATCH', path: '/a?dryRun=All&force=true', headers: {}, body: { b: { bad: 1 } } } as const
  const noisy = { ...needed, path: '/a?x=1&dryRun=All&force=true&y=2', headers: { accept: 'a' }, body: { a: [1, 2], b: { bad: 1, c: {} } } }
  const whole: Case = { id: 'one', steps: [{ do: 'GET', path: '/a' }, { do: 'POST', path: '/b' }, noisy, { do: 'GET', path: '/c' }] }
  const found = await minimise((await differs([whole, { ...whole, id: 'two' }])).differences, differs)
  assert.deepEqual(
    found.map((d) => d.case),
    [
      { id: 'one', steps: [needed] },
      { id: 'two', steps: [needed] },
    ],
  )
})

const signatures: readonly (readonly [string, string, boolean])[] = [
  ['step 1 PUT /a /body/spec/a/0/b: want 1, got 2', 'step 3 PUT /b /body/spec/a/4/b: want 7, got 1', true],
  ['step 1 PUT /a /body/message: want "\\"a\\" is bad", got "no"', 'step 1 PUT /a /body/message: want "\\"b\\" is bad", got "no"', true],
  ['step 1 PUT /a /body/spec/a: want 1, got 2', 'step 1 PUT /a /body/spec/b: want 1, got 2', false],
  ['step 1 PUT /a /code: want 201, got 422', 'step 1 PUT /a /body/message: want "x", got "y"', false],
]
for (const [one, other, same] of signatures)
  test(`${one} and ${other} ${same ? 'count once' : 'are two'}`, () => assert.equal(signatureOf(one) === signatureOf(other), same))

const NO_STEPS: Case = { id: 'a', steps: [] }

test('what differs on purpose has a reason, anything else none', () => {
  assert.match(reasonOf({ case: NO_STEPS, why: 'step 1 GET /a /body/columnDefinitions/2/description: want "a", got "b"' }) ?? '', /columns/)
  assert.equal(reasonOf({ case: NO_STEPS, why: 'step 1 GET /a /body/columnDefinitions/2/type: want "a", got "b"' }), undefined)
})

const BASE64 = 'error decoding from json: illegal base64 data at input byte'
const BY_CHANCE: readonly (readonly [why: string, reason: RegExp | undefined])[] = [
  [`step 1 PATCH /a?fieldManager=a&force=true /body/message: want "x: ${BASE64} 0", got "x: ${BASE64} 1"`, /any order/],
  [`step 1 POST /a /body/message: want "x: ${BASE64} 0", got "x: ${BASE64} 1"`, undefined],
  ['step 5 GET /api/v1/namespaces/{ns}/limitranges /body/items/1/metadata/name: want "a", got "<uid>"', /by chance/],
  ['step 5 GET /api/v1/namespaces/{ns}/limitranges /body/items/1/metadata/name: want "a", got "b"', undefined],
]
for (const [why, reason] of BY_CHANCE)
  test(`${why} is ${reason === undefined ? 'a difference' : 'chance'}`, () => {
    if (reason === undefined) assert.equal(reasonOf({ case: NO_STEPS, why }), undefined)
    else assert.match(reasonOf({ case: NO_STEPS, why }) ?? '', reason)
  })

test('the faults of an applied configuration may come in any order, even where the texts are cut', () => {
  const message = (faults: readonly string[]) => ['failed: errors:', ...faults.map((fault) => `  ${fault}`)].join('\n')
  const applied: Case = { id: 'a', steps: [{ do: 'PATCH', path: '/a', expect: { body: { message: message(['.a: "x"', '.b: y']) } } }] }
  const why = (want: string, got: string) => `step 1 PATCH /a /body/message: want ${JSON.stringify(want)}, got ${JSON.stringify(got)}`
  const cut = why(message(['.a: "x"', '.b: y']), message(['.b: y', '.a: "x"'])).slice(0, -3)
  assert.match(reasonOf({ case: applied, why: cut }) ?? '', /any order/)
  assert.equal(reasonOf({ case: applied, why: why(message(['.a: "x"', '.b: y']), message(['.b: y', '.c: z'])) }), undefined)
})
