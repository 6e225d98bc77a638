import { byText } from '../base/by-text.ts'
/** `a=b,c=d`, or `<none>`. */
export function labelText(labels: Readonly<Record<string, string>> | undefined): string {
  const keys = Object.keys(labels ?? {}).sort()
  return keys.length === 0 ? '<none>' : keys.map((k) => `${k}=${labels?.[k] ?? ''}`).join(',')
}

interface Requirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** A label selector as `kubectl get` prints it: `a=b,c in (d,e)`; `<none>` if it selects everything. */
export function selectorText(
  selector: { readonly matchLabels?: Readonly<Record<string, string>>; readonly matchExpressions?: readonly Requirement[] } | undefined,
): string {
  const parts: Requirement[] = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({ key, operator: '=', values: [value] }))
  parts.push(...(selector?.matchExpressions ?? []))
  if (parts.length === 0) return '<none>'
  return parts
    .sort((a, b) => byText(a.key, b.key))
    .map(requirementText)
    .join(',')
}

function requirementText({ key, operator, values = [] }: Requirement): string {
  if (operator === '=') return `${key}=${values[0] ?? ''}`
  if (operator === 'Exists') return key
  if (operator === 'DoesNotExist') return `!${key}`
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${[...values].sort().join(',')})`
}
