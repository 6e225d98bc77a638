import { seededRandom } from '../../src/base/random.ts'
import type { Case, Step } from './case.ts'
import { Draw } from './draw.ts'
import { actions } from './families/actions.ts'
import { changes } from './families/changes.ts'
import { creates } from './families/creates.ts'
import { paths } from './families/paths.ts'
import { policies } from './families/policies.ts'
import { inProtobuf } from './families/protobuf.ts'
import { reads } from './families/reads.ts'
import { rules } from './families/rules.ts'
import { schemas } from './families/schemas.ts'
import { sequences } from './families/sequences.ts'
import { watches } from './families/watches.ts'
import type { Kind } from './kinds.ts'
import { createStep, drawSubject, type Subject } from './subject.ts'
import { Vocabulary } from './vocabulary.ts'

type Family = (subject: Subject) => Step[]

/** What cases ask of objects that may be kept. */
const IN_JSON: Readonly<Record<string, Family>> = { creates, changes, sequences, reads, watches, paths, actions, rules, schemas, policies }

const protobuf: Family = (subject) => {
  const { draw, kept } = subject
  const family = kept ? (draw.pick([creates, changes, reads, reads, watches, watches, actions]) ?? reads) : creates
  return inProtobuf(draw, family(subject))
}

/** The families of cases, by the word that `--only` takes. */
export const FAMILIES: Readonly<Record<string, Family>> = { ...IN_JSON, protobuf }

/** How many of 36 cases are of a family. */
const WEIGHTS: Readonly<Record<string, number>> = {
  ...{ creates: 5, changes: 6, sequences: 3, reads: 4, watches: 4, paths: 2, actions: 2 },
  ...{ protobuf: 4, rules: 2, schemas: 2, policies: 2 },
}

export interface Wanted {
  readonly kinds: readonly Kind[]
  /** Names of families; default all. */
  readonly only?: readonly string[]
}

/** Families that know what to ask of an object that is not kept. */
const OF_ANY = new Set(['protobuf', 'rules'])

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
    const cleanup = kind.namespaced || !subject.kept ? {} : { cleanup: [subject.address] }
    return { id: `${name} ${kind.apiVersion} ${kind.plural} ${seed}-${serial++}`, steps, ...cleanup }
  }
}
