import type { KubeObject } from '../../machinery/object.ts'
import type { Outcome } from './outcome.ts'
import { canonicalize } from './stages/canonicalize.ts'
import { check } from './stages/check.ts'
import { commitNew } from './stages/commit-new.ts'
import { fit } from './stages/fit.ts'
import { limit } from './stages/limit.ts'
import { mutate } from './stages/mutate.ts'
import { normalize } from './stages/normalize.ts'
import { prepareForCreate } from './stages/prepare.ts'
import { record } from './stages/record.ts'
import { runStages, type Stages } from './stages/run-stages.ts'
import { shareWithLike } from './stages/share.ts'
import { stamp } from './stages/stamp.ts'
import { validate } from './stages/validate.ts'
import { type CreateWork, createWork } from './stages/work.ts'
import type { StoreDeps, Write } from './write.ts'

/** The stages of a create. */
const CREATE: Stages<CreateWork> = [
  limit,
  fit,
  record,
  mutate,
  stamp,
  prepareForCreate,
  { ifLight: shareWithLike },
  check,
  canonicalize,
  validate,
  normalize,
  commitNew,
]

/** Options of a create. */
export interface Creation {
  /** The managed fields are final (an apply made them). */
  readonly tracked?: boolean
}

/** Creates an object from a draft, which belongs to the store from now on. */
export async function createObject(deps: StoreDeps, write: Write, draft: KubeObject, { tracked = false }: Creation): Promise<Outcome> {
  const work = createWork(deps, write, { draft, tracked })
  await runStages(CREATE, work)
  if (work.outcome === undefined) throw new Error('invariant: a create that does not throw has stored something')
  return work.outcome
}
