import { tryParseJson } from '../../machinery/json/try-parse-json.ts'
import { isObject, type KubeObject } from '../../machinery/object.ts'

/** The state of a world, path by path: two worlds are equal if these are. */
export type State = ReadonlyMap<string, string>

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
/** What looks like a number of seconds, minutes or a hash of them. */
const COUNTER = /\d{6,}/g
/** The annotation that the trial sets on objects: not of their state, and not of that of objects to which an operator copies it. */
export const TOUCHED = 'trial.bowsprit.dev/touched'
/** Fields that the server allocates when the author leaves them out: they differ from run to run. */
const CHOSEN = new Set(['clusterIP', 'clusterIPs', 'nodePort', 'healthCheckNodePort', 'nodeName', 'volumeName'])
const OF_THE_SERVER = ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'selfLink', 'generation']

/** The state of these objects. The status counts for those of `judged` kinds only: of others the cluster's own controllers write it. */
export function stateOf(objects: readonly Readonly<KubeObject>[], judged: (object: Readonly<KubeObject>) => boolean): State {
  const state = new Map<string, string>()
  for (const object of objects) {
    const { status, metadata, ...rest } = object
    const kept = Object.fromEntries(Object.entries(metadata).filter(([name]) => !OF_THE_SERVER.includes(name)))
    const name = isNamedByChance(object)
      ? `${metadata.generateName ?? metadata.name?.replaceAll(UID, '')}*`
      : metadata.name?.replaceAll(COUNTER, '*')
    const at = `${object.kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${name}`
    if (isNamedByChance(object)) delete kept.name
    flatten(`${at}: `, { ...rest, metadata: kept, ...(judged(object) ? { status } : {}) }, state)
  }
  return state
}

/** Whether the name of an object was generated, or holds the uid of another one, as that of a provisioned volume. */
export const isNamedByChance = ({ metadata: { generateName, name = '' } }: Readonly<KubeObject>) =>
  generateName !== undefined || name.search(UID) !== -1

function flatten(path: string, given: unknown, into: Map<string, string>): void {
  const value = typeof given === 'string' ? (documentIn(given) ?? given) : given
  if (Array.isArray(value)) {
    const nameOf = itemNames(value)
    for (const [i, item] of value.entries()) flatten(`${path}[${nameOf?.(item) ?? i}]`, item, into)
    return
  }
  if (isObject(value)) {
    for (const [key, inner] of Object.entries(value))
      if (inner !== undefined && key !== TOUCHED) flatten(`${path}.${key}`, CHOSEN.has(key) && inner !== 'None' ? 'chosen' : inner, into)
    return
  }
  const text = typeof value === 'string' && TIME.test(value) ? 'a time' : String(value).replaceAll(UID, 'a uid').replaceAll(COUNTER, '*')
  // Several of one generated name: each counts.
  for (let i = 1; ; i++) {
    const key = i === 1 ? path : `${path}#${i}`
    if (into.has(key)) continue
    into.set(key, text)
    return
  }
}

/** The object or list that a text is: the order of its fields means nothing. */
const documentIn = (text: string): unknown => (/^[{[]/.test(text) ? tryParseJson(text) : undefined)

/** Fields that identify the items of a list, the best first: conditions have a type, containers a name. */
const ITEM_KEYS: readonly (readonly string[])[] = [
  ['type'],
  ['name'],
  ['key'],
  ['mountPath'],
  ['port', 'protocol'],
  ['containerPort', 'protocol'],
  ['containerPort'],
  ['port'],
  ['ip'],
]

/** The name of an item, where the items of a list have one each: their order means nothing then. */
function itemNames(items: readonly unknown[]): ((item: unknown) => string) | undefined {
  if (items.length === 0 || !items.every(isObject)) return undefined
  for (const fields of ITEM_KEYS) {
    const nameOf = (item: unknown) => fields.map((f) => (isObject(item) ? String(item[f]) : '')).join('/')
    if (items.every((item) => fields.every((f) => item[f] !== undefined)) && new Set(items.map(nameOf)).size === items.length) return nameOf
  }
  return undefined
}

/** Paths at which two states differ. */
export function differingPaths(a: State, b: State): ReadonlySet<string> {
  return new Set([...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path)))
}

/** What is different from the reference, in words; empty: nothing. */
export function differences(reference: State, found: State, masked: ReadonlySet<string>): string[] {
  const paths = [...differingPaths(reference, found)].filter((path) => !masked.has(path))
  const whole = new Map<string, string>()
  for (const path of paths) {
    const object = path.slice(0, path.indexOf(': '))
    const [was, is] = [countOf(reference, object), countOf(found, object)]
    if (was === is) whole.set(path, `${path} is ${found.get(path) ?? 'absent'}, not ${reference.get(path) ?? 'absent'}`)
    else
      whole.set(
        object,
        was > 1 || is > 1 ? `${object} is there ${is} times, not ${was}` : was > is ? `${object} is missing` : `${object} is left over`,
      )
  }
  return [...whole.values()]
}

/** How many objects have this name: several, where it was generated. */
function countOf(state: State, object: string): number {
  let count = 0
  while (state.has(`${object}: .kind${count === 0 ? '' : `#${count + 1}`}`)) count++
  return count
}
