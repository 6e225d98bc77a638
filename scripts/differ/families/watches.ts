import type { Step } from '../case.ts'
import { placesOf } from '../change-value.ts'
import { changedSample, createStep, type Subject, withOptions } from '../subject.ts'
import { mergePatch } from './patches.ts'

const OPTIONS = {
  labelSelector: ['a', '!a', 'a=b'],
  fieldSelector: ['metadata.name=a', 'metadata.name!=a', 'spec.mode=Fast'],
  resourceVersion: ['0', 'x'],
  resourceVersionMatch: ['NotOlderThan', 'Exact'],
  sendInitialEvents: ['true', 'false'],
  allowWatchBookmarks: ['true'],
}

const ACCEPT = [
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;stream=watch',
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
  const path = withOptions(draw, `${kind.collection}?watch=1&timeoutSeconds=2`, OPTIONS)
  return [createStep(subject), { do: 'WATCH', path, ...headers, during, waitMs: 700 }]
}
