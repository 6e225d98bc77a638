import { inTurns, type Later, promptly, type Steps } from '../../../base/steps.ts'
import { isHeavy, isHeavyBeside } from '../../../machinery/weight.ts'
import type { UpdateWork, Work } from './work.ts'

/** One stage of every write. A generator yields where it may be interrupted, or has to wait. */
export type Stage<W extends Work> = (work: W) => Steps<void> | Later<void>

/** A stage that saves work on light objects but would take a long turn on heavy ones, which skip it. */
export interface LightStage<W extends Work> {
  readonly ifLight: (work: W) => void
}

/** The stages of a write, from top to bottom. */
export type Stages<W extends Work> = readonly (Stage<W> | LightStage<W>)[]

/**
 * Runs the stages of a write. Only this function knows what is heavy: a light object is processed in one turn of the event loop, unless it
 * has to wait; for a heavy one, each stage and each step of a stage gets its own turn.
 */
export function runStages<W extends Work>(stages: Stages<W>, work: W): Later<void> {
  work.heavy = isHeavyWork(work)
  return work.heavy ? inTurns(stepsOf(stages, work)) : runLight(stages, work, 0)
}

/** All stages in one turn. The object with which a webhook replaced a light one is weighed anew. */
function runLight<W extends Work>(stages: Stages<W>, work: W, from: number): Later<void> {
  for (let i = from; i < stages.length; i++) {
    const stage = stages[i]
    if (stage === undefined) continue
    const { draft } = work
    const pending = now('ifLight' in stage ? stage.ifLight(work) : stage(work))
    if (pending !== undefined)
      return pending.then(() => (work.draft === draft ? runLight(stages, work, i + 1) : runStages(stages.slice(i + 1), work)))
  }
}

const now = (done: Steps<void> | Later<void>): Later<void> => (done === undefined || done instanceof Promise ? done : promptly(done))

function* stepsOf<W extends Work>(stages: Stages<W>, work: W): Steps<void> {
  for (const stage of stages) {
    if ('ifLight' in stage) continue
    yield
    const done = stage(work)
    if (done instanceof Promise) yield done
    else if (done !== undefined) yield* done
  }
}

/** A stored object up to this size is light, whatever its content. */
const LIGHT_BYTES = 16_384

/** Parts that an update shares with a light object need not be weighed again. */
function isHeavyWork({ draft, old, ...work }: Work | UpdateWork): boolean {
  const beside = old !== undefined && 'item' in work && work.item.sizeBytes <= LIGHT_BYTES
  return beside ? isHeavyBeside(draft, old) : isHeavy(draft)
}
