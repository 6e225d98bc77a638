import { faultText, invalid } from '../../../machinery/field-error.ts'
import { labelValue, qualifiedName } from '../../../machinery/names.ts'

export type LabelMap = ReadonlyMap<string, string>

/** Parses `a=b,c=d`, or returns why it is invalid. */
export function parseLabelMap(text: string): LabelMap | { readonly fault: string } {
  const map = new Map<string, string>()
  if (text === '') return map
  for (const pair of text.split(',')) {
    const parts = pair.split('=')
    const [key = '', value = ''] = parts.map((part) => part.trim())
    if (parts.length !== 2) return { fault: `invalid selector: [${parts.join(' ')}]` }
    const wrongKey = qualifiedName(key)
    if (wrongKey.length > 0) return { fault: faultText(invalid('', key, wrongKey.join('; '))) }
    const wrongValue = labelValue(value)
    if (wrongValue.length > 0) return { fault: faultText(invalid(`[${key}]`, value, wrongValue.join('; '))) }
    map.set(key, value)
  }
  return map
}
