import type { KubeObject } from '../machinery/object.ts'
import { parseFieldSelector } from '../machinery/selectors/field-selector.ts'
import { type CompiledLabelSelector, everything, parseLabelSelector, SelectorError } from '../machinery/selectors/label-selector.ts'
import { badRequest } from '../machinery/status-error.ts'

/** What `labelSelector` and `fieldSelector` of a query choose. @throws {StatusError} 400 */
export function selectionOf(query: URLSearchParams): (object: KubeObject) => boolean {
  const labels = labelSelectorOf(query, 'labelSelector')
  const fields = reading(() => parseFieldSelector(query.get('fieldSelector') ?? ''))
  for (const { field } of fields.requirements)
    if (!Object.hasOwn(FIELDS, field))
      throw badRequest(`${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`)
  return (object) => labels.matches(object.metadata.labels) && fields.matches((field) => FIELDS[field]?.(object) ?? '')
}

const FIELDS: Readonly<Record<string, (object: KubeObject) => string | undefined>> = {
  'metadata.name': ({ metadata }) => metadata.name,
  'metadata.namespace': ({ metadata }) => metadata.namespace,
}

/** A label selector of a query. @throws {StatusError} 400 */
export function labelSelectorOf(query: URLSearchParams, parameter: string): CompiledLabelSelector {
  const text = query.get(parameter) ?? ''
  return text === '' ? everything : reading(() => parseLabelSelector(text))
}

function reading<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message)
    throw error
  }
}
