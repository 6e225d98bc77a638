import { pathSegmentName } from '../../machinery/names.ts'
import { parseFieldSelector } from '../../machinery/selectors/field-selector.ts'
import { SelectorError } from '../../machinery/selectors/label-requirement.ts'
import { parseFlag } from './go-values.ts'
import type { Query } from './query.ts'
import { type RequestInfo, requestInfo } from './request-info.ts'

/** What a method and path with these parameters ask for. */
export function readRequest(method: string, path: string, query: Query): RequestInfo {
  return requestInfo(method, path, { watching: parseFlag(query.get('watch')), fieldName: fieldName(query) })
}

/** The name that the field selector pins, if it does and could be one: authorization knows it. */
function fieldName(query: Query): string | undefined {
  const text = query.get('fieldSelector') ?? ''
  if (!text.includes('metadata.name')) return undefined
  try {
    const name = parseFieldSelector(text).exactValue('metadata.name')
    return name !== undefined && pathSegmentName(name).length === 0 ? name : undefined
  } catch (error) {
    if (error instanceof SelectorError) return undefined
    throw error
  }
}
