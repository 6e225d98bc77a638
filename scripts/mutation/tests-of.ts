/** Which unit tests import a file, the nearest first. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Files by the files that import them. Type imports count for nothing: no test runs the file for them. */
function importers(root: string): ReadonlyMap<string, readonly string[]> {
  const by = new Map<string, string[]>()
  for (const file of globSync('src/**/*.ts', { cwd: root })) {
    const text = readFileSync(path.join(root, file), 'utf8')
    for (const [, names = '', from = ''] of text.matchAll(/^(?:import|export) ([^'"]*?)from '(\.[^']+)'/gm)) {
      if (names.startsWith('type ')) continue
      const target = path.normalize(path.join(path.dirname(file), from))
      by.set(target, [...(by.get(target) ?? []), file])
    }
  }
  return by
}

/** Finds the tests that reach a file by imports: those of its name beside it first, then those of its folder, then the nearest others. */
export function testFinder(root: string): (file: string, most: number) => readonly string[] {
  const by = importers(root)
  return (file, most) => {
    const tests: string[] = []
    const seen = new Set([file])
    for (const at of seen)
      for (const importer of by.get(at) ?? []) {
        if (importer.endsWith('.test.ts') && !seen.has(importer)) tests.push(importer)
        seen.add(importer)
      }
    return tests.sort((a, b) => distance(a, file) - distance(b, file)).slice(0, most)
  }
}

/** Sorting keeps the order of imports among tests of the same distance. */
function distance(test: string, file: string): number {
  if (test.startsWith(`${file.replace(/\.ts$/, '')}.`)) return 0
  return path.dirname(test) === path.dirname(file) ? 1 : 2
}
