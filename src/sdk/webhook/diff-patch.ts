import { equalJson } from '../../machinery/equal.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'

/** The JSON patch that makes `after` of `before`. Lists that differ are replaced as a whole. */
export function diffPatch(before: JsonObject, after: JsonObject, path = ''): JsonObject[] {
  const steps: JsonObject[] = []
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key) || after[key] === undefined) steps.push({ op: 'remove', path: `${path}/${escaped(key)}` })
  }
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined) continue
    const at = `${path}/${escaped(key)}`
    const old = Object.hasOwn(before, key) ? before[key] : undefined
    if (old === undefined) steps.push({ op: 'add', path: at, value })
    else if (isObject(old) && isObject(value)) steps.push(...diffPatch(old, value, at))
    else if (!equalJson(old, value)) steps.push({ op: 'replace', path: at, value })
  }
  return steps
}

const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')
