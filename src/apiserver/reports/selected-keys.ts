import type { Filter } from '../cache/view.ts'
import { passes } from '../cache/view.ts'
import type { ReportCollection } from '../extension-points.ts'
import { reportItem } from './report-item.ts'

/** The keys of a collection that may pass a filter: where it has outlines of its objects, those whose outline passes. */
export function selectedKeys(keys: readonly string[], collection: ReportCollection, filter: Filter): readonly string[] {
  if (collection.outline === undefined || filter.matches === undefined) return keys
  return keys.filter((key) => {
    const outline = collection.outline?.(key)
    // An object that is gone may have to be announced.
    return outline === undefined || passes(filter, reportItem(key, outline))
  })
}
