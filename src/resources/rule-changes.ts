/**
 * Changes of an object as text, for tables of tests: `spec.replicas = -1`, `-spec.selector` (removed), `spec.ports[0].name = a &&
 * -spec.type` (both). Values are YAML, or `a × 300` for a text of 300 letters; a key with dots is in brackets (`metadata.labels[a.b/c] =
 * x`); an item at the next index is appended.
 */
import { equalJson } from '../machinery/equal.ts'
import { cloneJson, isObject } from '../machinery/object.ts'
import { decodeYaml } from '../machinery/yaml/yaml.ts'

/** A copy of the object with the changes. */
export function changed<T extends object>(object: T, changes: string): T {
  const root = { value: cloneJson<unknown>(object) as T }
  for (const change of changes === '' ? [] : changes.split(' && ')) apply(root.value, change)
  return root.value
}

function apply(object: object, change: string): void {
  const removed = change.startsWith('-')
  const equals = change.indexOf(' = ')
  if (!removed && equals < 0) throw new Error(`"${change}" is no change: PATH = VALUE or -PATH`)
  const path = parsePath(removed ? change.slice(1) : change.slice(0, equals))
  const last = path.pop() ?? ''
  let at = object as Record<string, unknown>
  for (const [i, name] of path.entries()) {
    if (typeof at[name] !== 'object' || at[name] === null) at[name] = /^\d+$/.test(path[i + 1] ?? last) ? [] : {}
    at = at[name] as Record<string, unknown>
  }
  if (!removed) at[last] = readValue(change.slice(equals + 3))
  else if (Array.isArray(at)) at.splice(Number(last), 1)
  else delete at[last]
}

/** YAML; `a × 300` is a text of 300 letters. */
function readValue(text: string): unknown {
  const repeated = /^(\S) × (\d+)$/.exec(text)
  return repeated ? repeated[1]?.repeat(Number(repeated[2])) : decodeYaml(text).value
}

/** `a.b[0].c[d.e]` → `a`, `b`, `0`, `c`, `d.e`. */
const parsePath = (path: string): string[] => [...path.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([name, inBrackets]) => inBrackets ?? name)

/** The changes from one object to the other, field by field; whole lists if their lengths differ. */
export function differences(from: unknown, to: unknown, path = ''): string[] {
  if (equalJson(from, to)) return []
  if (isObject(from) && isObject(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])]
    return names.flatMap((name) => differences(from[name], to[name], join(path, name)))
  }
  if (Array.isArray(from) && Array.isArray(to) && from.length === to.length)
    return from.flatMap((item, i) => differences(item, to[i], `${path}[${i}]`))
  return [to === undefined ? `-${path}` : `${path} = ${flow(to)}`]
}

/** The scalars that `to` has beyond `from`, by path. */
export function additions(from: unknown, to: unknown, path = ''): [path: string, value: unknown][] {
  if (Array.isArray(to)) return to.flatMap((item, i) => additions(Array.isArray(from) ? from[i] : undefined, item, `${path}[${i}]`))
  if (isObject(to))
    return Object.entries(to).flatMap(([name, value]) => additions(isObject(from) ? from[name] : undefined, value, join(path, name)))
  return from === undefined && to !== undefined && to !== null ? [[path, to]] : []
}

function join(path: string, name: string): string {
  if (!/^[\w$-]+$/.test(name) || /^\d+$/.test(name)) return `${path}[${name}]`
  return path === '' ? name : `${path}.${name}`
}

/** YAML in one line. */
export function flow(value: unknown): string {
  if (typeof value === 'string' && /^(\S)\1{40,}$/.test(value)) return `${value[0]} × ${value.length}`
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (isObject(value))
    return `{${Object.entries(value)
      .map(([name, v]) => `${plain(name)}: ${flow(v)}`)
      .join(', ')}}`
  return typeof value === 'string' ? plain(value) : String(value)
}

/** A text without quotes if YAML reads the same text. */
const plain = (text: string): string =>
  /^[A-Za-z/][\w./-]*$/.test(text) && !/^(y|n|yes|no|on|off|true|false|null|nan|inf)$/i.test(text) ? text : JSON.stringify(text)
