import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { allRecorded, upstream } from '../../../test/upstream.ts'
import { builtinSchema, isBuiltinKind } from '../../resources/schema.ts'
import { type Json, type JsonObject, parseApiVersion } from '../object.ts'
import { DecodeError, decodeObject } from './decode.ts'

/** Answers of kube-apiserver 1.36.3, where the checkout has them. */
const recorded = path.join(upstream, 'cases')

interface Step {
  readonly do: string
  readonly path: string
  readonly body?: JsonObject
  readonly expect?: { readonly code: number; readonly body?: JsonObject; readonly warnings?: readonly string[] }
}

function* steps(): Generator<{ id: string; step: Step }> {
  for (const file of globSync('{create,update}/*.json', { cwd: recorded })) {
    const { cases } = JSON.parse(readFileSync(path.join(recorded, file), 'utf8')) as { cases: { id: string; steps: Step[] }[] }
    for (const one of cases)
      for (const step of one.steps) if (typeof step.path === 'string') yield { id: `${one.id} ${step.do} ${step.path}`, step }
  }
}

function schemaOf(object: Json | undefined) {
  if (object === null || typeof object !== 'object' || Array.isArray(object)) return undefined
  const { apiVersion, kind } = object
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined
  const gv = parseApiVersion(apiVersion)
  return gv !== undefined && isBuiltinKind(gv.group, gv.version, kind) ? builtinSchema(gv.group, gv.version, kind)() : undefined
}

const sorted = (message: string) =>
  message
    .split(/, (?=unknown|duplicate)|: (?=unknown|duplicate)/)
    .sort()
    .join('\n')
/** Answers that are written while a body is decoded. */
const DECODING = / in version "[^"]*" cannot be handled as a \w+: (?!no kind |converting )/

test('bodies are refused, and taken, as recorded', () => {
  const wrong: string[] = []
  let seen = 0
  for (const { id, step } of steps()) {
    if ((step.do !== 'POST' && step.do !== 'PUT') || step.expect === undefined) continue
    const schema = schemaOf(step.body)
    if (schema === undefined || step.body === undefined) continue
    const message = step.expect.code === 400 ? String(step.expect.body?.message ?? '') : ''
    const refused = DECODING.test(message)
    if (step.expect.code === 400 && !refused) continue
    seen++
    const fieldValidation = (new URL(step.path, 'http://x').searchParams.get('fieldValidation') ?? 'Ignore') as 'Strict'
    const ours = answer(() => decodeObject(schema, step.body ?? null, { fieldValidation }))
    const theirs = refused ? message.slice(message.search(DECODING)).replace(DECODING, '') : 'taken'
    if (sorted(ours.replace(/2006-01-02T15:04:05(?:\.000000)?Z/, '<time>')) !== sorted(theirs))
      wrong.push(`${id}\n    ours:   ${ours}\n    theirs: ${theirs}`)
  }
  assert.ok(wrong.length === 0, `${wrong.length} of ${seen}:\n${wrong.slice(0, 30).join('\n')}`)
  assert.ok(seen > (allRecorded ? 10_000 : 100), `only ${seen} bodies were tried`)
})

function answer(decode: () => unknown): string {
  try {
    decode()
    return 'taken'
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return error.message
  }
}

test('what Kubernetes answers comes out of the decoder as it went in', () => {
  const wrong: string[] = []
  let seen = 0
  for (const { id, step } of steps()) {
    const body = step.expect?.body
    const schema = schemaOf(body)
    if (schema === undefined || body === undefined) continue
    seen++
    const want = normal(body)
    let got = 'refused'
    try {
      got = JSON.stringify(decodeObject(schema, JSON.parse(want)).object)
    } catch (error) {
      got = String(error)
    }
    if (got !== want) wrong.push(`${id}\n    ours:   ${differing(got, want)}\n    theirs: ${differing(want, got)}`)
  }
  assert.ok(wrong.length === 0, `${wrong.length} of ${seen}:\n${wrong.slice(0, 20).join('\n')}`)
})

/** The recorder replaced times and allocated ports by words. */
const normal = (body: JsonObject) =>
  JSON.stringify(body)
    .replace(/("(?:eventTime|lastObservedTime|acquireTime|renewTime)":)"<time>"/g, '$1"2026-01-01T00:00:00.000000Z"')
    .replace(/"<time>"/g, '"2026-01-01T00:00:00Z"')
    .replace(/("nodePort":)"<[^>]*>"/g, '$130000')

function differing(text: string, other: string): string {
  let i = 0
  while (i < text.length && text[i] === other[i]) i++
  return text.slice(Math.max(0, i - 60), i + 100)
}
