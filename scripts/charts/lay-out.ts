import { cpSync, existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isObject, type JsonObject } from '../../src/machinery/object.ts'
import { readAbout } from './find-charts.ts'

/** Where charts lie that others name as their dependencies: name → folders. */
export type ChartIndex = ReadonlyMap<string, readonly string[]>

export function indexCharts(sources: string): ChartIndex {
  const index = new Map<string, string[]>()
  for (const file of globSync('**/Chart.yaml', { cwd: sources }).sort()) {
    const folder = path.dirname(path.join(sources, file))
    const name = readAbout(folder)?.name
    if (typeof name === 'string') index.set(name, [...(index.get(name) ?? []), folder])
  }
  return index
}

/**
 * A chart in a folder of its own, with those that it depends on: `helm dependency build` would fetch them from repositories, here they come
 * from the checkouts, in the version that lies there. Returns the names of those that are in none, which are left out.
 */
export function layOut(from: string, to: string, index: ChartIndex): readonly string[] {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  cpSync(from, to, { recursive: true, filter: (file) => !/(^|\/)(\.git|node_modules)$/.test(file) })
  const about = readAbout(to)
  if (about === undefined) return []
  const missing: string[] = []
  const found: JsonObject[] = []
  for (const dependency of Array.isArray(about.dependencies) ? about.dependencies.filter(isObject) : []) {
    const name = String(dependency.name)
    const here = path.join(to, 'charts', name)
    if (!existsSync(here)) {
      const other = nearest(index.get(name) ?? [], from)
      if (other === undefined) {
        missing.push(name)
        continue
      }
      missing.push(...layOut(other, here, index))
    }
    found.push({ ...dependency, version: String(readAbout(here)?.version) })
  }
  // Chart.yaml is YAML, and so is JSON.
  writeFileSync(path.join(to, 'Chart.yaml'), JSON.stringify({ ...about, dependencies: found }))
  rmSync(path.join(to, 'Chart.lock'), { force: true })
  return missing
}

/** Of charts of one name, the one whose path has most in common with another. */
function nearest(folders: readonly string[], to: string): string | undefined {
  const inCommon = (folder: string) => [...folder].findIndex((letter, i) => letter !== to[i])
  return [...folders].sort((a, b) => inCommon(b) - inCommon(a))[0]
}
