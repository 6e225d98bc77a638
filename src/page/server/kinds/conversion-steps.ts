import { messageOf } from '../../../base/message-of.ts'
import { valueChanges } from '../../../machinery/json/value-changes.ts'
import { asKubeObject, type JsonObject } from '../../../machinery/object.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import type { CustomResourceDefinition, DefinitionVersion } from '../../../resources/apiextensions/types.ts'
import type { ConvertedObject, ObjectConversion } from '../../../resources/bowsprit/object-conversion.ts'
import { OBJECT_CONVERSIONS } from '../../../resources/bowsprit/report-refs.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { KindStep } from '../../wire/kind-bench.ts'
import { shownText } from '../../wire/shown-text.ts'

const MAX_LINES = 200
const MAX_VALUE = 300

/** The object that is converted, and its kind. */
export interface ConvertedKind {
  readonly definition: CustomResourceDefinition
  readonly version: DefinitionVersion
  readonly object: JsonObject
}

/** What the object would be in each other version. Other clusters only name the strategy. */
export async function conversionSteps(client: Client, kind: ConvertedKind, signal: AbortSignal): Promise<readonly KindStep[]> {
  const how = wayOf(kind)
  if ((kind.definition.spec.versions ?? []).length < 2) return [how]
  const asked = {
    apiVersion: 'bowsprit.dev/v1',
    kind: 'ObjectConversion',
    metadata: {},
    spec: { object: { metadata: {}, ...kind.object } },
  } satisfies ObjectConversion
  try {
    const { status } = await client.create(OBJECT_CONVERSIONS, asked, { signal })
    return [how, ...(status?.versions ?? []).map((converted) => stepOf(kind.object, converted))]
  } catch (error) {
    signal.throwIfAborted()
    if (isStatus(error) && error.code === 404) return [how]
    return [how, { name: 'conversion', tone: 'bad', lines: [shownText(messageOf(error))] }]
  }
}

function wayOf({ definition: { spec }, version }: ConvertedKind): KindStep {
  const all = spec.versions ?? []
  const stored = all.find(({ storage }) => storage)?.name ?? version.name
  if (all.length < 2) return { name: 'conversion', tone: '', lines: ['there is one version'] }
  const by = spec.conversion?.strategy === 'Webhook' ? 'by the webhook of the definition' : 'by another apiVersion alone'
  return { name: 'conversion', tone: '', lines: [shownText(`stored as ${stored}; other versions are made ${by}`)] }
}

function stepOf(given: JsonObject, { apiVersion, object, error, milliseconds }: ConvertedObject): KindStep {
  const name = `as ${apiVersion}`
  if (object === undefined) return { name, tone: 'bad', lines: [shownText(error ?? 'it cannot be converted')] }
  const { apiVersion: _, ...before } = given
  const { apiVersion: __, ...after } = asKubeObject(object) as unknown as JsonObject
  const { changes } = valueChanges(before, after, { most: MAX_LINES, mostText: MAX_VALUE })
  const lines = changes.map(({ path, from = '', to }) => shownText(`${path}: ${[from, to ?? '(removed)'].filter(Boolean).join(' → ')}`))
  const took = `took ${milliseconds} ms`
  return lines.length === 0 ? { name, tone: '', lines: ['the same fields', took] } : { name, tone: 'busy', lines: [...lines, took] }
}
