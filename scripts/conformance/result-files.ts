import { readFileSync, writeFileSync } from 'node:fs'
import type { SpecResult } from './run-specs.ts'

/**
 * What several runs found of each spec: that it passed, where it ever did, and otherwise what the last one says. `files`: names, with
 * commas between.
 */
export function readResults(files: string): readonly SpecResult[] {
  return mergeResults(files.split(',').flatMap((file) => JSON.parse(readFileSync(file, 'utf8')) as SpecResult[]))
}

/** One result for each spec: the first one that passed, or the latest of those that did not. */
export function mergeResults(results: readonly SpecResult[]): readonly SpecResult[] {
  const best = new Map<string, SpecResult>()
  for (const result of results) {
    const known = best.get(result.name)
    if (known === undefined || rank(result, known) > 0) best.set(result.name, result)
  }
  return [...best.values()]
}

/** Above 0: `a` counts. */
function rank(a: SpecResult, b: SpecResult): number {
  const passed = Number(a.state === 'passed') - Number(b.state === 'passed')
  return passed !== 0 ? passed : a.state === 'passed' ? -1 : (a.at ?? '').localeCompare(b.at ?? '') || 1
}

export function writeResults(file: string, results: readonly SpecResult[]): void {
  writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`)
}
