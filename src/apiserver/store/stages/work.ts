import type { KubeObject } from '../../../machinery/object.ts'
import type { ResourceRules, RulesContext } from '../../../machinery/resource/definition.ts'
import type { StoredObject } from '../../cache/stored-object.ts'
import { AdmissionOfWrite } from '../admission-of-write.ts'
import { effectiveRules } from '../effective-rules.ts'
import type { Outcome } from '../outcome.ts'
import type { SharedDraft } from '../shared-parts.ts'
import { rulesContext, type StoreDeps, type Write } from '../write.ts'

/** A create, or one attempt of an update, on its way through the stages, which change it in order. */
export interface Work {
  readonly deps: StoreDeps
  readonly write: Write
  readonly rules: ResourceRules
  readonly context: RulesContext
  readonly admission: AdmissionOfWrite
  /** The managed fields are final: an apply made them. */
  readonly tracked: boolean
  /** The previous state, in the working version; undefined for a create. */
  readonly old: KubeObject | undefined
  /** The object to be stored, in the working version; it belongs to the store. */
  draft: KubeObject
  /** Set by the runner of the stages: the draft is so large that it is processed in steps. */
  heavy: boolean
  /** Set by the stage `share`: the draft with parts that are stored already. Read-only. */
  shared: SharedDraft | undefined
  /** The result. Undefined at the end: another write came first. */
  outcome: Outcome | undefined
}

export interface CreateWork extends Work {
  readonly old: undefined
  /** The server generated the name, and may draw another. */
  generated: boolean
}

export interface UpdateWork extends Work {
  readonly old: KubeObject
  /** The state on which the update is conditional. */
  readonly item: StoredObject
}

/** The object that is validated and stored: the draft, with shared parts if there are any. */
export const checkedOf = ({ shared, draft }: Work): KubeObject => shared?.object ?? draft

interface Given {
  readonly draft: KubeObject
  readonly tracked: boolean
}

export function createWork(deps: StoreDeps, write: Write, given: Given): CreateWork {
  const { options } = write
  const subject = {
    operation: 'CREATE',
    name: given.draft.metadata.name ?? '',
    // Admission sees CreateOptions when an update creates a missing object.
    options: options.kind === 'CreateOptions' ? options : { ...options, kind: 'CreateOptions' },
  } as const
  return { ...workOf(deps, write, given), admission: new AdmissionOfWrite(write, subject), old: undefined, generated: false }
}

export function updateWork(deps: StoreDeps, write: Write, given: Given & Pick<UpdateWork, 'old' | 'item'>): UpdateWork {
  const admission = new AdmissionOfWrite(write, { operation: 'UPDATE', name: write.place.name })
  return { ...workOf(deps, write, given), admission, old: given.old, item: given.item }
}

const workOf = (deps: StoreDeps, write: Write, { draft, tracked }: Given) => ({
  deps,
  write,
  rules: effectiveRules(write),
  context: rulesContext(deps, write),
  tracked,
  draft,
  heavy: false,
  shared: undefined,
  outcome: undefined,
})
