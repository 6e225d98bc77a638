import { seededRandom } from '../../src/base/random.ts'
import type { JsonObject } from '../../src/machinery/object.ts'
import { readPath } from '../../src/machinery/resource/definition.ts'
import type { Case, Step } from './case.ts'
import { Draw } from './draw.ts'
import { access } from './families/access.ts'
import { actions } from './families/actions.ts'
import { certificates } from './families/certificates.ts'
import { changes } from './families/changes.ts'
import { conversions } from './families/conversions.ts'
import { creates } from './families/creates.ts'
import { definitions } from './families/definitions.ts'
import { namespaces } from './families/namespaces.ts'
import { pages } from './families/pages.ts'
import { paths } from './families/paths.ts'
import { pods } from './families/pods.ts'
import { policies } from './families/policies.ts'
import { inProtobuf } from './families/protobuf.ts'
import { quotas } from './families/quotas.ts'
import { reads } from './families/reads.ts'
import { rules } from './families/rules.ts'
import { schemas } from './families/schemas.ts'
import { sequences } from './families/sequences.ts'
import { services } from './families/services.ts'
import { watches } from './families/watches.ts'
import { webhooks } from './families/webhooks.ts'
import { yaml } from './families/yaml.ts'
import type { Kind } from './kinds.ts'
import { createStep, drawSubject, type Subject } from './subject.ts'
import { Vocabulary } from './vocabulary.ts'

type Family = (subject: Subject) => Step[]

/** Families whose requests are about an object of a kind. */
export const OF_KIND: Readonly<Record<string, Family>> = { creates, changes, sequences, reads, watches, pages, paths, rules, yaml }

/** Families that choose their objects themselves. */
const OF_SERVER: Readonly<Record<string, Family>> = {
  ...{ access, actions, certificates, conversions, definitions, namespaces, pods, policies, quotas, schemas, services, webhooks },
}

const protobuf: Family = (subject) => {
  const { draw, kept } = subject
  const family = kept ? (draw.pick([creates, changes, reads, reads, watches, watches, actions]) ?? reads) : creates
  return inProtobuf(draw, family(subject))
}

/** The families of cases, by the word that `--only` takes. */
export const FAMILIES: Readonly<Record<string, Family>> = { ...OF_KIND, ...OF_SERVER, protobuf }

/** How many cases are of a family, in proportion. */
const WEIGHTS: Readonly<Record<string, number>> = {
  ...{ creates: 5, changes: 6, sequences: 3, reads: 4, watches: 4, paths: 2, actions: 2 },
  ...{ protobuf: 4, rules: 2, schemas: 2, policies: 2, pages: 3, pods: 2, quotas: 2, services: 2, access: 2 },
}

export interface Wanted {
  readonly kinds: readonly Kind[]
  /** Names of families; default all. */
  readonly only?: readonly string[]
}

/** Families that know what to ask of an object that is not kept, or ask nothing of it. */
const OF_ANY = new Set(['protobuf', 'rules', 'yaml', ...Object.keys(OF_SERVER)])

/** A source of cases: the same seed, kinds and families give the same cases. */
export function caseSource(seed: number, { kinds, only = Object.keys(FAMILIES) }: Wanted): () => Case {
  const draw = new Draw(seededRandom(seed))
  const vocabulary = new Vocabulary()
  for (const { samples } of kinds) for (const sample of samples) vocabulary.learn(sample)
  const weighted = only.flatMap((name) => Array<string>(WEIGHTS[name] ?? 1).fill(name))
  let serial = 0
  return () => {
    const kind = draw.pick(kinds)
    if (kind === undefined) throw new Error('no kind to draw requests for')
    const subject = drawSubject(draw, kind, { kinds, vocabulary })
    const chosen = draw.pick(weighted) ?? 'creates'
    const name = subject.kept || OF_ANY.has(chosen) ? chosen : 'creates'
    const steps = FAMILIES[name]?.(subject) ?? [createStep(subject)]
    const own = kind.namespaced || !subject.kept ? [] : [subject.address]
    const cleanup = [...new Set([...own, ...createdOutside(steps)])]
    return { id: `${name} ${kind.apiVersion} ${kind.plural} ${seed}-${serial++}`, steps, ...(cleanup.length > 0 && { cleanup }) }
  }
}

/** The addresses outside of the namespace at which steps create objects of this case. */
const createdOutside = (steps: readonly Step[]): readonly string[] =>
  steps.flatMap(({ do: verb, path, body }) => {
    const [collection = ''] = path.split('?')
    if (verb !== 'POST' || collection.includes('/namespaces/')) return []
    const name = readPath(body as JsonObject, ['metadata', 'name'])
    return typeof name === 'string' && name.includes('{ns}') ? [`${collection}/${name}`] : []
  })
