import { byKey } from '../../base/by-text.ts'
import type { LabelSelector } from './label-selector.ts'

/** A selector as Go prints it in some messages and columns. */
export function goSelector(selector: LabelSelector | undefined): string {
  if (selector === undefined) return 'nil'
  const labels = Object.entries(selector.matchLabels ?? {}).sort(byKey)
  const expressions = (selector.matchExpressions ?? []).map(
    (e) => `LabelSelectorRequirement{Key:${e.key},Operator:${e.operator},Values:[${(e.values ?? []).join(' ')}],},`,
  )
  return `&LabelSelector{MatchLabels:map[string]string{${labels.map(([k, v]) => `${k}: ${v},`).join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
}
