import { pathSegmentName } from '../../machinery/names.ts'
import { parseFieldSelector } from '../../machinery/selectors/field-selector.ts'
import { SelectorError } from '../../machinery/selectors/label-requirement.ts'
import { parseFlag } from './go-values.ts'
import type { Query } from './query.ts'
import { type RequestInfo, requestInfo } from './request-info.ts'

/** The request info of a method and path with these parameters. */
export function readRequest(method: string, path: string, query: Query): RequestInfo {
  return requestInfo(method, path, { watching: parseFlag(query.get('watch')), fieldName: fieldName(query.get('fieldSelector')) })
}

/** The name that the field selector requires, if it is a valid path segment: authorization uses it. */
export function fieldName(text = ''): string | undefined {
  if (!text.includes('metadata.name')) return undefined
  try {
    const name = parseFieldSelector(text).exactValue('metadata.name')
    return name !== undefined && pathSegmentName(name).length === 0 ? name : undefined
  } catch (error) {
    if (error instanceof SelectorError) return undefined
    throw error
  }
}
