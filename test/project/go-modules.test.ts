/**
 * The Go programs of the tests have one version of each dependency, so that Go compiles it once: a machine without its cache needs minutes
 * for each other one.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const tests = path.join(import.meta.dirname, '..')
/** Intel's driver is built from an older Kubernetes. */
const modules = globSync('**/go.mod', { cwd: tests }).filter((file) => !file.includes('intel'))

/** The versions that a module's file asks for; a replacement counts. */
function versionsOf(file: string): Map<string, string> {
  const lines = readFileSync(path.join(tests, file), 'utf8').split('\n')
  const words = lines.map((line) =>
    line
      .replace(/^(require|replace) /, '')
      .trim()
      .split(/\s+/),
  )
  const required = words.flatMap(([name = '', version = '']) => (/^v\d/.test(version) ? [[name, version] as const] : []))
  const replaced = words.flatMap(([name = '', arrow, , version = '']) => (arrow === '=>' ? [[name, version] as const] : []))
  return new Map([...required, ...replaced])
}

test('each dependency of the Go programs has one version', () => {
  const found = Map.groupBy(
    modules.flatMap((file) => [...versionsOf(file)].map(([name, version]) => ({ name, version, file }))),
    ({ name }) => name,
  )
  assert.ok((found.get('k8s.io/client-go') ?? []).length > 5)
  for (const [name, uses] of found)
    assert.equal(
      new Set(uses.map(({ version }) => version)).size,
      1,
      `${name}: ${uses.map(({ version, file }) => `${version} in ${file}`).join(', ')}`,
    )
})
