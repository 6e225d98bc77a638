import type { Json, JsonObject } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import { type Place, placesOf, replaceAt } from '../change-value.ts'
import { drawValue } from '../draw-value.ts'
import { isObject } from '../schema.ts'
import { changedSample, createStep, type Subject, withOptions } from '../subject.ts'
import { jsonPatch, mergePatch, strategicPatch } from './patches.ts'

const OPTIONS = { fieldManager: ['m', 'n', 'm/n'], fieldValidation: ['Strict', 'Ignore'], dryRun: ['All'] }

/** An object is created, then changed in every way: put, patched, applied by several managers, scaled. */
export function changes(subject: Subject): Step[] {
  const first = subject.draw.chance(0.3) ? apply(subject) : createStep(subject)
  return [first, ...subject.draw.several(4, 7, () => change(subject)), { do: 'GET', path: subject.address }]
}

function change(subject: Subject): Step {
  const { draw, kind } = subject
  const subresource = draw.pick(kind.subresources)
  if (subresource !== undefined && draw.chance(0.15)) return subresourceStep(subject, subresource)
  const way = draw.pick([
    put,
    apply,
    apply,
    apply,
    patch('merge-patch', mergePatch),
    patch('json-patch', jsonPatch),
    patch('strategic-merge-patch', strategicPatch),
  ])
  return way(subject)
}

/** The object's address, sometimes the one of its status. */
function addressOf({ draw, kind, address }: Subject): string {
  return draw.chance(0.2) && kind.subresources.some((s) => s.name === 'status') ? `${address}/status` : address
}

export const put = (subject: Subject): Step => ({
  do: 'PUT',
  path: withOptions(subject.draw, addressOf(subject), OPTIONS, 0.15),
  body: changedSample(subject, 2),
})

export function apply(subject: Subject): Step {
  const { draw, kind } = subject
  const manager = draw.pick(['a', 'b', 'c'])
  return {
    do: 'PATCH',
    path: withOptions(draw, `${addressOf(subject)}?fieldManager=${manager}`, { force: ['true'] }, 0.5),
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: intent(subject, { apiVersion: kind.apiVersion, kind: kind.kind }),
  }
}

/** Some members of a changed object, as one manager would want them. */
function intent(subject: Subject, identity: JsonObject): Json {
  const { draw, source, kind, sample } = subject
  let object = draw.chance(0.4) ? sample : changedSample(subject, 2)
  for (const { path } of draw.some(placesOf(source, object, kind.schema).toReversed(), 0.15)) object = replaceAt(object, path, undefined)
  return isObject(object) ? { ...identity, ...object } : object
}

type MakePatch = (subject: Subject, places: readonly Place[]) => Json

export const patch =
  (type: string, make: MakePatch) =>
  (subject: Subject): Step => {
    const { draw, source, kind } = subject
    return {
      do: 'PATCH',
      path: withOptions(draw, addressOf(subject), OPTIONS, 0.15),
      headers: { 'content-type': `application/${type}+json` },
      body: make(subject, placesOf(source, changedSample(subject, 2), kind.schema)),
    }
  }

export function subresourceStep(subject: Subject, { name, kind, apiVersion, verbs }: Subject['kind']['subresources'][number]): Step {
  const { draw, source, address, sample } = subject
  const path = `${address}/${name}`
  const verb = draw.pick(verbs)
  if (verb === 'get' || verb === undefined) return { do: 'GET', path }
  const schema = source.schemas.ofKind(apiVersion.includes('/') ? apiVersion.replace(/\/.*/, '') : '', apiVersion.replace(/.*\//, ''), kind)
  const drawn = schema === undefined ? {} : drawValue(source, schema, name)
  const body = {
    ...(isObject(drawn) && drawn),
    apiVersion,
    kind,
    metadata: isObject(sample.metadata) ? { name: sample.metadata.name ?? 'a' } : {},
  }
  if (verb === 'create') return { do: 'POST', path, body }
  if (verb === 'update') return { do: 'PUT', path, body }
  return { do: 'PATCH', path, body }
}
