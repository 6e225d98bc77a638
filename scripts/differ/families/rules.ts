import { equalJson } from '../../../src/machinery/equal.ts'
import { isObject, type Json, type JsonObject, type KubeObject } from '../../../src/machinery/object.ts'
import { changed } from '../../../src/resources/rule-changes.ts'
import type { Step } from '../case.ts'
import type { Draw } from '../draw.ts'
import type { RuleTable } from '../rule-tables.ts'
import type { Subject } from '../subject.ts'
import { creates } from './creates.ts'

/** Rows of our tables of rules, alone or several at once: as creations, or as updates of a stored object. */
export function rules(subject: Subject): Step[] {
  const { draw, kind, kept } = subject
  const table = draw.pick(kind.tables)
  if (table === undefined) return creates(subject)
  const identity = { apiVersion: kind.apiVersion, kind: kind.kind }
  const whole = { ...table, object: { ...identity, ...table.object } }
  const part = kept && draw.chance(0.7) ? draw.pick(Object.keys(table.updates)) : undefined
  return part === undefined ? createdWith(subject, whole) : updatedWith(subject, whole, part)
}

const createdWith = ({ draw, kind }: Subject, table: RuleTable): Step[] =>
  draw.several(6, 6, () => ({
    do: 'POST',
    path: `${kind.collection}?dryRun=All`,
    body: bodyOf(withRows(draw, table.object, [...table.creates, ...afters(table, '')])),
  }))

/** The object is stored as one row of the table wants it, with its status, then each step tries other rows on it. */
function updatedWith(subject: Subject, table: RuleTable, part: string): Step[] {
  const { draw, kind, address } = subject
  const { apiVersion, kind: word, ...given } = table.object
  const metadata = { ...given.metadata, name: address.slice(address.lastIndexOf('/') + 1) }
  const before = draw.pick((table.updates[part] ?? []).map((row) => splitRow(row)[0])) ?? ''
  const stored = tried({ apiVersion, kind: word, ...given, metadata }, before)
  const current = { ...stored, metadata: { ...stored.metadata, resourceVersion: '{rv}' } }
  const save = { rv: '/metadata/resourceVersion' }
  const hasStatus = Object.hasOwn(stored, 'status') && kind.subresources.some(({ name }) => name === 'status')
  const target = `${address}${part && `/${part}`}?dryRun=All`
  return [
    { do: 'POST', path: kind.collection, body: bodyOf(stored), save },
    ...(hasStatus ? [{ do: 'PUT', path: `${address}/status`, body: bodyOf(current), save } as const] : []),
    ...draw.several(5, 5, () => update(draw, target, current, withRows(draw, current, afters(table, part)))),
  ]
}

const update = (draw: Draw, path: string, from: KubeObject, to: KubeObject): Step =>
  draw.chance(0.5)
    ? { do: 'PUT', path, body: bodyOf(to) }
    : { do: 'PATCH', path, headers: { 'content-type': 'application/merge-patch+json' }, body: patchBetween(bodyOf(from), bodyOf(to)) }

const bodyOf = (object: KubeObject): JsonObject => object as unknown as JsonObject

function splitRow(row: string): readonly [before: string, after: string] {
  const [before = '', after] = row.split(' -> ', 2)
  return after === undefined ? ['', before] : [before, after]
}

const afters = (table: RuleTable, part: string) => (table.updates[part] ?? []).map((row) => splitRow(row)[1])

/** The object with one to three rows; often with one. */
const withRows = (draw: Draw, object: KubeObject, rows: readonly string[]): KubeObject =>
  draw.several(1, draw.pick([1, 2, 3]), () => draw.pick(rows) ?? '').reduce(tried, object)

/** The object with a change, or as it is where an earlier change left nothing to apply this one to. */
function tried(object: KubeObject, change: string): KubeObject {
  try {
    return changed(object, change)
  } catch (error) {
    if (error instanceof TypeError) return object
    throw error
  }
}

/** A merge patch that makes the second of the first. */
function patchBetween(from: JsonObject, to: JsonObject): JsonObject {
  const patch: Record<string, Json> = {}
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [old, now] = [from[name], to[name]]
    if (now === undefined) patch[name] = null
    else if (isObject(old) && isObject(now)) Object.assign(patch, equalJson(old, now) ? {} : { [name]: patchBetween(old, now) })
    else if (old === undefined || !equalJson(old, now)) patch[name] = now
  }
  return patch
}
