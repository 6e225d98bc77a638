import { inTurns } from '../../../base/steps.ts'
import { giveTurn } from '../../../base/turns.ts'
import { faultText } from '../../../machinery/field-error.ts'
import { asJson, cloneJson, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import { requestBudget, ruleSteps } from '../../../machinery/structural/rules.ts'
import type { SchemaProps } from '../../../machinery/structural/schema-props.ts'
import { validateInSteps } from '../../../machinery/structural/validator.ts'
import type { CustomResourceDefinition, DefinitionVersion } from '../../../resources/apiextensions/types.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { KindStep } from '../../wire/kind-bench.ts'
import { shownText } from '../../wire/shown-text.ts'

/** Stored objects that are tried, and those that are named because they would not pass. */
const MOST_OBJECTS = 500
const MOST_NAMED = 20
const MAX_FAULT = 300

/** A version of a kind, with the schema that its objects are tried against. */
export interface TriedSchema {
  readonly definition: CustomResourceDefinition
  readonly version: DefinitionVersion
}

/** Which of the stored objects would not pass the schema, if they were written again. */
export async function storedStep(client: Client, { definition, version }: TriedSchema, signal: AbortSignal): Promise<KindStep> {
  const { group, names } = definition.spec
  const schema = version.schema?.openAPIV3Schema ?? {}
  const target = { group, version: version.name, resource: names.plural }
  const { items, metadata } = await client.list(target, { limit: MOST_OBJECTS, signal })
  if (items.length === 0) return { name: 'stored objects', tone: '', lines: ['there are none'] }
  const refused: string[] = []
  for (const object of items) {
    const [fault] = await faultsOf(asJson(cloneJson(object)), schema)
    if (fault !== undefined) refused.push(shownText(`${nameOf(object)}: ${fault}`, MAX_FAULT))
    await giveTurn()
    signal.throwIfAborted()
  }
  const more = metadata.continue === undefined || metadata.continue === '' ? '' : ', the first of more'
  const summary = `${items.length - refused.length} of ${items.length} stored objects pass${more}`
  const unnamed = refused.length > MOST_NAMED ? [`and ${refused.length - MOST_NAMED} others`] : []
  return { name: 'stored objects', tone: refused.length > 0 ? 'bad' : '', lines: [summary, ...refused.slice(0, MOST_NAMED), ...unnamed] }
}

async function faultsOf(object: JsonObject, schema: SchemaProps): Promise<readonly string[]> {
  const shape = await inTurns(validateInSteps(schema, object))
  const faults = shape.length > 0 ? shape : await inTurns(ruleSteps(schema, object, { budget: requestBudget() }))
  return faults.map(faultText)
}

const nameOf = ({ metadata: { namespace = '', name = '' } }: Readonly<KubeObject>) => `${namespace === '' ? '' : `${namespace}/`}${name}`
