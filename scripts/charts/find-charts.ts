import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isObject, type JsonObject } from '../../src/machinery/object.ts'
import { decodeYaml } from '../../src/machinery/yaml/yaml.ts'

/** Where every chart lies that helm can install by itself, from a folder on; those within other charts left out. */
export function findCharts(sources: string): readonly string[] {
  return globSync('**/Chart.yaml', { cwd: sources, exclude: (name) => name === 'templates' || name === 'node_modules' })
    .map((file) => path.dirname(file))
    .filter((at) => isInstallable(path.join(sources, at)))
    .sort()
}

function isInstallable(folder: string): boolean {
  if (!existsSync(path.join(folder, 'templates')) || existsSync(path.join(folder, '..', '..', 'Chart.yaml'))) return false
  const about = readAbout(folder)
  return about !== undefined && about.type !== 'library' && typeof about.name === 'string'
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
