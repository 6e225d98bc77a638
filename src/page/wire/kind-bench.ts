import type { DraftFault } from './draft-page.ts'
import type { Tone } from './object-name.ts'

/** An object of a custom kind that is tried. */
export interface BenchDraft {
  /** The name of the CustomResourceDefinition. */
  readonly definition: string
  /** `''`: begin with an example. */
  readonly text: string
  /** The schema that is tried in place of the version's, as YAML; `''`: the version's own. */
  readonly schema: string
  readonly serial: number
}

/** What the steps of the server make of an object of a custom kind. */
export interface KindBench {
  readonly serial: number
  /** The text that was tried. */
  readonly text: string
  /** The schema that was tried. */
  readonly schema: string
  readonly faults: readonly DraftFault[]
  readonly schemaFaults: readonly DraftFault[]
  readonly steps: readonly KindStep[]
  /** YAML; `''`: it would be refused. */
  readonly stored: string
}

export interface KindStep {
  readonly name: string
  /** `busy`: it changes the object. */
  readonly tone: Tone
  readonly lines: readonly string[]
}
