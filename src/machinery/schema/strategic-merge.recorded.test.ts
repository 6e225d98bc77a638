import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { allRecorded, upstream } from '../../../test/upstream.ts'
import { builtinSchema, isBuiltinKind } from '../../resources/schema.ts'
import { isObject, type Json, type JsonObject, parseApiVersion } from '../object.ts'
import { DecodeError, decodeObject } from './decode.ts'
import { fromUnstructured } from './from-unstructured.ts'
import { goPrint } from './go-print.ts'
import { strategicMerge } from './strategic-merge.ts'
import { StrategicMergeError } from './strategic-merge-error.ts'

const recorded = path.join(upstream, 'cases')

interface Step {
  readonly do: string
  readonly path: string
  readonly body?: Json
  readonly headers?: Readonly<Record<string, string>>
  readonly expect?: { readonly code: number; readonly body?: JsonObject }
}

/** Text by text: the message of a refusal, or of the error that the merge itself gives. */
function apply(object: JsonObject, patch: JsonObject): JsonObject | string {
  const gv = parseApiVersion(String(object.apiVersion)) ?? { group: '', version: 'v1' }
  const schema = builtinSchema(gv.group, gv.version, String(object.kind))()
  let left: JsonObject = patch
  try {
    const merged = strategicMerge(schema, decodeObject(schema, object).object, patch)
    left = merged.patch
    return fromUnstructured(schema, merged.object).object
  } catch (error) {
    if (error instanceof StrategicMergeError) return error.message
    if (error instanceof DecodeError) return ` "" is invalid: patch: Invalid value: ${JSON.stringify(goPrint(left))}: ${error.message}`
    throw error
  }
}

/** Whether the response has all that ours has (it has defaults besides); lists agree item by item. */
function differs(ours: Json | undefined, theirs: Json | undefined, at: string): string | undefined {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    if (ours.length !== theirs.length) return `${at}: ${ours.length} items, not ${theirs.length}`
    return ours.map((item, i) => differs(item, theirs[i], `${at}[${i}]`)).find((d) => d !== undefined)
  }
  if (isObject(ours) && isObject(theirs)) {
    return Object.keys(ours)
      .map((key) => differs(ours[key], theirs[key], `${at}.${key}`))
      .find((d) => d !== undefined)
  }
  if (ours === 0 && theirs !== undefined) return undefined // a zero that defaulting has filled
  return ours === theirs ? undefined : `${at}: ${JSON.stringify(ours)}, not ${JSON.stringify(theirs)}`
}

test('strategic merge patches change and refuse as recorded', () => {
  const wrong: string[] = []
  let seen = 0
  for (const file of ['semantics/patches.json', 'basics/patches.json']) {
    const { cases } = JSON.parse(readFileSync(path.join(recorded, file), 'utf8')) as { cases: { id: string; steps: Step[] }[] }
    for (const one of cases) {
      const objects = new Map<string, JsonObject>()
      for (const [i, step] of one.steps.entries()) {
        const body = step.body
        if (step.do === 'POST' && isObject(body) && isObject(body.metadata) && isBuiltinKind(...group(body), String(body.kind))) {
          objects.set(`${step.path}/${body.metadata.name}`, body)
        }
        if (step.do !== 'PATCH' || step.headers?.['content-type'] !== 'application/strategic-merge-patch+json' || !isObject(body)) {
          if (step.do === 'PATCH') objects.delete(step.path)
          continue
        }
        const object = objects.get(step.path)
        if (object === undefined || step.expect === undefined || JSON.stringify(body).includes('"apiVersion"')) continue
        seen++
        const ours = apply(object, body)
        const answer = step.expect.body?.kind === 'Status' ? String(step.expect.body.message) : undefined
        const following = one.steps[i + 1]
        const stored = step.expect.body ?? (following?.do === 'GET' ? following.expect?.body : undefined)
        const why =
          typeof ours === 'string' ||
          (answer !== undefined && /^(?!.* is invalid: spec|.*<causes>|.*immutable|.*does not match)/s.test(answer))
            ? ours === answer
              ? undefined
              : `${typeof ours === 'string' ? ours : 'taken'}, not ${answer}`
            : answer === undefined && stored !== undefined
              ? (differs(ours.spec, withTimes(stored).spec, 'spec') ??
                differs((ours.metadata as JsonObject).finalizers, (stored.metadata as JsonObject).finalizers, 'finalizers'))
              : undefined
        if (why !== undefined) wrong.push(`${one.id}: ${JSON.stringify(body).slice(0, 200)}\n    ${why}`)
        if (typeof ours !== 'string' && answer === undefined) objects.set(step.path, stored === undefined ? ours : withTimes(stored))
      }
    }
  }
  assert.ok(wrong.length === 0, `${wrong.length} of ${seen}:\n${wrong.slice(0, 30).join('\n')}`)
  assert.ok(seen > (allRecorded ? 50 : 5), `only ${seen} patches were tried`)
})

/** The recorder replaced times by words. */
const withTimes = (object: JsonObject): JsonObject => JSON.parse(JSON.stringify(object).replaceAll('<time>', '2026-01-01T00:00:00Z'))

function group(body: JsonObject): [string, string] {
  const gv = parseApiVersion(String(body.apiVersion))
  return [gv?.group ?? '', gv?.version ?? '']
}
