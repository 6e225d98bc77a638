import type { Json, JsonObject } from '../../src/machinery/object.ts'
import type { Step } from './case.ts'
import { changeValue } from './change-value.ts'
import type { Draw } from './draw.ts'
import type { Source } from './draw-value.ts'
import type { Kind } from './kinds.ts'
import { isObject } from './schema.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Resources whose objects change what other cases are answered with, or whose names are not free: created with `dryRun` alone. */
const DRY_RUN_ONLY = new Set([
  ...['customresourcedefinitions', 'apiservices', 'ipaddresses', 'servicecidrs', 'priorityclasses', 'ingressclasses', 'storageclasses'],
  ...['flowschemas', 'prioritylevelconfigurations', 'namespaces', 'csinodes'],
  ...['mutatingwebhookconfigurations', 'validatingwebhookconfigurations', 'mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'],
  ...['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
])

/** The object that the requests of a case are about. */
export interface Subject {
  readonly source: Source
  readonly draw: Draw
  readonly kind: Kind
  /** The same resource at all its versions. */
  readonly versions: readonly Kind[]
  /** A valid object with the name that requests use. */
  readonly sample: JsonObject
  /** Whether it can be kept: created without `dryRun`. */
  readonly kept: boolean
  /** Its address. */
  readonly address: string
}

export function drawSubject(draw: Draw, kind: Kind, { kinds, vocabulary }: { kinds: readonly Kind[]; vocabulary: Vocabulary }): Subject {
  const kept = !DRY_RUN_ONLY.has(kind.plural) && kind.verbs.includes('get')
  const object: JsonObject = draw.pick(kind.samples) ?? {}
  const name = kind.namespaced ? 'a' : '{ns}'
  const sample = kept && isObject(object.metadata) ? { ...object, metadata: { ...object.metadata, name } } : object
  const versions = kinds.filter((other) => unversioned(other) === unversioned(kind))
  return { source: { draw, schemas: kind.schemas, vocabulary }, draw, kind, versions, sample, kept, address: `${kind.collection}/${name}` }
}

const unversioned = ({ collection, apiVersion }: Kind) => collection.replace(apiVersion, apiVersion.replace(/[^/]*$/, ''))

/** The same object at another version. */
export function atVersion(subject: Subject, kind: Kind): Subject {
  return {
    ...subject,
    kind,
    source: { ...subject.source, schemas: kind.schemas },
    sample: { ...subject.sample, apiVersion: kind.apiVersion },
    address: subject.address.replace(subject.kind.collection, kind.collection),
  }
}

/** The sample with a few changes. */
export function changedSample({ source, draw, kind, sample }: Subject, most: number): Json {
  return draw.several(1, most, () => undefined).reduce<Json>((object) => changeValue(source, object, kind.schema), sample)
}

export const createStep = ({ kind, sample }: Subject): Step => ({ do: 'POST', path: kind.collection, body: sample })

/** A path with query options, each drawn with a probability. */
export function withOptions(draw: Draw, path: string, options: Readonly<Record<string, readonly string[]>>, probability = 0.25): string {
  const chosen = draw.some(Object.entries(options), probability).map(([name, values]) => `${name}=${draw.pick(values) ?? ''}`)
  return chosen.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${chosen.join('&')}`
}
