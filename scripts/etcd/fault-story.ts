import type { Stage, StageSetup } from './fault-stage.ts'
import type { NoteStep, RequestStep } from './recorded-step.ts'

/** How the situation of a recorded story is made. */
export interface FaultStory {
  readonly setup?: StageSetup
  /** The requests between two notes are sent at the same time. */
  readonly together?: boolean
  begin?(stage: Stage): Promise<unknown>
  /** What the recording did where it wrote this note. */
  onNote?(stage: Stage, step: NoteStep): Promise<unknown>
  /** How the outcome that a note records differs from what happens here; undefined: not at all. */
  judge?(stage: Stage, step: NoteStep): Promise<string | undefined>
  /** The request for this stage: revisions are others than in the recording. */
  translate?(step: RequestStep): RequestStep
}
