import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isObject, type JsonObject } from '../../src/machinery/object.ts'
import { decodeYaml } from '../../src/machinery/yaml/yaml.ts'

/** A chart as it lies in somebody's checkout. */
export interface FoundChart {
  readonly name: string
  readonly version: string
  readonly folder: string
  /** What `Chart.yaml` says. */
  readonly about: JsonObject
  readonly dependencies: readonly { readonly name: string; readonly version: string; readonly described: JsonObject }[]
}

/** Every chart below a folder, those within other charts left out. */
export function findCharts(sources: string): readonly FoundChart[] {
  return globSync('**/Chart.yaml', { cwd: sources, exclude: (name) => name === 'templates' || name === 'node_modules' })
    .map((file) => path.dirname(path.join(sources, file)))
    .filter((folder) => existsSync(path.join(folder, 'templates')) && !existsSync(path.join(folder, '..', '..', 'Chart.yaml')))
    .map(readChart)
    .filter((chart) => chart !== undefined)
    .sort((a, b) => (a.folder < b.folder ? -1 : 1))
}

/** Undefined: it is no chart that helm can install by itself. */
function readChart(folder: string): FoundChart | undefined {
  const about = readAbout(folder)
  if (about === undefined || about.type === 'library') return undefined
  const { name, version, dependencies } = about
  if (typeof name !== 'string') return undefined
  return { name, version: String(version ?? ''), folder, about, dependencies: objectsOf(dependencies).map(dependencyOf) }
}

/** What `Chart.yaml` says; undefined where it is no YAML (a template of one). */
export function readAbout(folder: string): JsonObject | undefined {
  try {
    const { value } = decodeYaml(readFileSync(path.join(folder, 'Chart.yaml')))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const objectsOf = (list: unknown): readonly JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : [])
const dependencyOf = (described: JsonObject) => ({ name: String(described.name), version: String(described.version ?? ''), described })
