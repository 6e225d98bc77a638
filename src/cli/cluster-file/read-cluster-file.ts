import path from 'node:path'
import { InvalidArgumentError, type Option } from 'commander'
import { messageOf } from '../../base/message-of.ts'
import { MAX_NODES } from '../../cluster/config.ts'
import { shapedNodes } from '../../cluster/nodes/node-shapes.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { lineMap } from '../../machinery/yaml/line-map.ts'
import { decodeYaml } from '../../machinery/yaml/yaml.ts'
import type { Finding } from '../../tools/check-files.ts'
import { shownValue } from '../option-values.ts'
import type { ClusterField } from './fields.ts'

export const CLUSTER_FILE = { apiVersion: 'bowsprit.dev/v1', kind: 'Cluster' } as const

/** What a cluster file says: the values of the flags that it names, and its faults. */
export interface ClusterFile {
  readonly values: ReadonlyMap<string, unknown>
  readonly faults: readonly Finding[]
}

/** Whether this is meant to be a cluster file; a text that is no YAML is none. */
export function isClusterFile(text: string): boolean {
  try {
    const { value } = decodeYaml(text)
    return isObject(value) && value.kind === CLUSTER_FILE.kind && String(value.apiVersion).startsWith('bowsprit.dev/')
  } catch {
    return false
  }
}

/** Reads a cluster file, and finds all its faults, each with its line. Paths are relative to the file. */
export function readClusterFile(
  { name, text }: { readonly name: string; readonly text: string },
  fields: readonly ClusterField[],
): ClusterFile {
  const faults: Finding[] = []
  const values = new Map<string, unknown>()
  const document = parse(text)
  if (typeof document === 'string') return { values, faults: [{ file: name, line: 1, level: 'error', message: document }] }
  const places = lineMap({ text, firstLine: 1 })
  const fault = (field: string, message: string) =>
    faults.push({ file: name, line: places.lineOf(field), level: 'error', message: `${field}: ${message}` })
  for (const [field, wanted] of Object.entries(CLUSTER_FILE))
    if (document[field] !== wanted) fault(field, `${shown(document[field])} is not ${wanted}`)
  for (const field of Object.keys(document)) if (!TOP_LEVEL.has(field)) fault(field, 'there is no such field')
  const spec = document.spec ?? {}
  if (!isObject(spec)) fault('spec', 'is not a map of options')
  for (const [key, value] of isObject(spec) ? Object.entries(spec) : []) {
    const field = fields.find((known) => known.name === key)
    try {
      if (field === undefined)
        throw new InvalidArgumentError('there is no such field: `bowsprit up --help` has the flags, here in camelCase')
      values.set(key, fieldValue(field, value, path.dirname(path.resolve(name))))
    } catch (error) {
      fault(`spec.${key}`, messageOf(error))
    }
  }
  return { values, faults }
}

const TOP_LEVEL: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'spec'])

/** The document, or why it is none. */
function parse(text: string): Readonly<Record<string, unknown>> | string {
  try {
    const { value, strictError } = decodeYaml(text)
    if (strictError !== '') return strictError.replaceAll(/\s*\n\s*/g, ' ')
    return isObject(value) ? value : 'it is not a map: begin with apiVersion and kind'
  } catch (error) {
    return messageOf(error)
  }
}

/** The value of the flag, as its option gives it. @throws {InvalidArgumentError} */
function fieldValue({ option, kind }: ClusterField, value: unknown, folder: string): unknown {
  if (kind === 'flag') {
    if (typeof value !== 'boolean') throw new InvalidArgumentError(`${shown(value)} is neither true nor false`)
    return value
  }
  if (kind === 'several') return severalValues(option, value)
  if (kind === 'shapes' && Array.isArray(value)) return shapesIn(value)
  const text = textOf(kind, value)
  const given = (kind === 'path' || kind === 'shapes') && !SPECIAL.has(text) ? path.resolve(folder, text) : text
  try {
    return option.parseArg === undefined ? given : option.parseArg(given, undefined)
  } catch (error) {
    throw new InvalidArgumentError(`${shownValue(given)} ${messageOf(error)}`)
  }
}

/** Their faults have paths below `nodeShapes`. @throws {InvalidArgumentError} */
function shapesIn(value: readonly unknown[]): unknown {
  try {
    shapedNodes(value as readonly JsonObject[], { plain: 0, most: MAX_NODES })
    return value
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error))
  }
}

/** The values of an option that is given several times. @throws {InvalidArgumentError} */
function severalValues({ parseArg }: Option, value: unknown): unknown {
  if (!Array.isArray(value)) throw new InvalidArgumentError(`${shown(value)} is not a list`)
  let before: unknown
  for (const one of value) before = parseArg?.(String(one), before)
  return before
}

/** Words that an option takes in place of a path. */
const SPECIAL: ReadonlySet<string> = new Set(['host', '-', ''])

/** As the flag has it on the command line. */
function textOf(kind: ClusterField['kind'], value: unknown): string {
  if (kind === 'list' && Array.isArray(value)) return value.join(',')
  if (kind === 'map' && isObject(value))
    return Object.entries(value)
      .map(([key, count]) => `${key}=${String(count)}`)
      .join(',')
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new InvalidArgumentError(`${shown(value)} is not ${WANTED[kind] ?? 'a text'}`)
}

const WANTED: Readonly<Partial<Record<ClusterField['kind'], string>>> = { number: 'a number', path: 'a path', list: 'a list', map: 'a map' }

const shown = (value: unknown) => shownValue(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'))
