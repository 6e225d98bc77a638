import type { Step } from '../case.ts'
import { placesOf } from '../change-value.ts'
import { changedSample, createStep, type Subject, withOptions } from '../subject.ts'
import { mergePatch } from './patches.ts'

const OPTIONS = {
  labelSelector: ['a', '!a', 'a=b'],
  fieldSelector: ['metadata.name=a', 'metadata.name!=a', 'spec.mode=Fast'],
  resourceVersion: ['0', '', '1', '99999999', 'x'],
  resourceVersionMatch: ['NotOlderThan', 'Exact', 'x'],
  sendInitialEvents: ['true', 'false', 'x'],
  allowWatchBookmarks: ['true', 'false'],
  limit: ['1', '-1'],
  continue: ['x', ''],
  includeObject: ['None', 'Object', 'x'],
}

/** Half of the watches ask for what informers ask for, so that their stream begins. */
const INFORMER = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
const TIMEOUTS = ['2', '2', '2', '1', '0', '-1', 'x']

const ACCEPT = [
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;stream=watch',
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
]

/** A watch with options, while objects are created, changed and deleted. */
export function watches(subject: Subject): Step[] {
  const { draw, kind, address, source, sample } = subject
  const patch = (): Step => ({
    do: 'PATCH',
    path: address,
    body: draw.chance(0.5)
      ? { metadata: { labels: { a: draw.pick(['b', 'c', null]) } } }
      : mergePatch(subject, placesOf(source, changedSample(subject, 1), kind.schema)),
  })
  const during: Step[] = [
    { do: 'POST', path: kind.collection, body: changedSample({ ...subject, sample: { ...sample, metadata: { name: 'b' } } }, 1) },
    ...draw.several(1, 3, patch),
    { do: 'DELETE', path: address },
  ]
  const headers = draw.chance(0.3) ? { headers: { accept: draw.pick(ACCEPT) ?? '' } } : {}
  const asked = draw.chance(0.5) ? `&${INFORMER}` : ''
  const path = withOptions(draw, `${watchedPath(subject)}timeoutSeconds=${draw.pick(TIMEOUTS)}${asked}`, OPTIONS, asked === '' ? 0.2 : 0.08)
  return [createStep(subject), { do: 'WATCH', path, ...headers, during, waitMs: 700 }]
}

/** The collection, one object, or either by the older path below `/watch/`. */
function watchedPath({ draw, kind, address }: Subject): string {
  // Collections outside of the namespace have objects of other cases.
  const place = kind.namespaced && draw.chance(0.75) ? kind.collection : address
  return draw.chance(0.85) ? `${place}?watch=1&` : `${place.replace(/^\/api\/v1\/|^\/apis\/[^/]+\/[^/]+\//, '$&watch/')}?`
}
