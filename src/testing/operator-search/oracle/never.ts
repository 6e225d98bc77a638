import { messageOf } from '../../../base/message-of.ts'
import type { Program } from '../../../machinery/cel/program.ts'
import { compile } from '../../../machinery/cel/program.ts'
import { celDynamic } from '../../../machinery/cel/schema/cel-value.ts'
import { DYN } from '../../../machinery/cel/types.ts'
import { RULE_ENVIRONMENT } from '../../../machinery/structural/compile-rule.ts'
import { keyOf } from '../../operator-trial/trial-base.ts'
import type { ObjectChange } from '../history.ts'
import type { Symptom } from './symptom.ts'

/** What must never be true: `object`, `oldObject` (null for a new one) and `deleted` are one change; `objects` is all that exists then. */
export interface Invariant {
  readonly source: string
  readonly program: Program
}

const VARIABLES = ['object', 'oldObject', 'deleted', 'objects'].map((name) => ({ name, type: DYN }))

/** @throws {Error} when the expression is not valid */
export function compileInvariant(source: string): Invariant {
  try {
    return { source, program: compile(source, { env: RULE_ENVIRONMENT, variables: VARIABLES }) }
  } catch (error) {
    throw new Error(`--never '${source}': ${messageOf(error)}`)
  }
}

/** The first change after which an invariant was broken, for each of them. */
export function invariantSymptoms(invariants: readonly Invariant[], changes: readonly ObjectChange[]): Symptom[] {
  return invariants.flatMap((invariant) => firstBreach(invariant, changes) ?? [])
}

function firstBreach({ source, program }: Invariant, changes: readonly ObjectChange[]): Symptom | undefined {
  const objects = new Map<string, unknown>()
  for (const { object, before, type, key, step } of changes) {
    if (type === 'DELETED') objects.delete(key)
    else objects.set(keyOf(object), object)
    const variables = {
      object: celDynamic(object),
      oldObject: celDynamic(before ?? null),
      deleted: type === 'DELETED',
      objects: celDynamic([...objects.values()]),
    }
    if (isTrue(program, variables))
      return { harm: 'data lost', rule: `never: ${source}`, text: `${key} (${type.toLowerCase()}) makes it true in step ${step + 1}` }
  }
  return undefined
}

/** An expression that fails, because a field is absent, is not true. */
function isTrue(program: Program, variables: Parameters<Program['run']>[0]): boolean {
  try {
    return program.run(variables) === true
  } catch {
    return false
  }
}
