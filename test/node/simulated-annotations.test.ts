/**
 * `docs/simulated-annotations.md` is generated from the table of `machinery/simulated-annotations.ts`. `BOWSPRIT_WRITE=1 npm test -- THIS`
 * writes the page.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import {
  CUSTOM_METRIC_PREFIX,
  SIMULATED_ANNOTATIONS,
  SIMULATED_PREFIX,
  type SimulatedAnnotation,
  type SimulatedAnnotationName,
  simulatedKey,
} from '../../src/machinery/simulated-annotations.ts'

const root = path.join(import.meta.dirname, '..', '..')
const page = path.join(root, 'docs', 'simulated-annotations.md')
const entries: readonly (readonly [string, SimulatedAnnotation])[] = Object.entries(SIMULATED_ANNOTATIONS)

const nameOf = (name: string, { each }: SimulatedAnnotation) =>
  each === undefined ? `\`${name}\`` : each === 'volume' ? `\`${name}.VOLUME\`` : `\`${name}\`, \`${name}.CONTAINER\``
const onOf = ({ on }: SimulatedAnnotation) => (on === 'workload' ? 'pod, or its workload' : on)

const text = `# Simulated annotations

Annotations control what simulated pods and nodes do. Their keys begin with \`${SIMULATED_PREFIX}\`. A value that cannot be read is ignored.
Examples are in [eviction](eviction.md), [autoscaling](autoscaling.md), [node failures](node-failures.md) and [device plugins](device-plugins.md).

| name | on | meaning | value | default |
|---|---|---|---|---|
${entries.map(([name, a]) => `| ${nameOf(name, a)} | ${onOf(a)} | ${a.meaning} | ${a.value} | ${a.byDefault} |`).join('\n')}

\`${CUSTOM_METRIC_PREFIX}NAME\` on an object is its custom metric NAME; see [autoscaling](autoscaling.md).
`

test('the page shows the table', () => {
  if (process.env.BOWSPRIT_WRITE !== undefined) writeFileSync(page, text)
  assert.equal(readFileSync(page, 'utf8'), text)
})

test('the keys are spelt in the table alone', () => {
  const spelt = globSync('src/**/*.ts', { cwd: root })
    .filter((file) => !/\.(test|double)\.ts$/.test(file) && !file.endsWith('simulated-annotations.ts'))
    .filter((file) =>
      /^(?!\s*(\*|\/\/|\/\*)).*['"`](metrics\.)?simulated\.bowsprit\.dev\//m.test(readFileSync(path.join(root, file), 'utf8')),
    )
  assert.deepEqual(spelt, [])
})

test('every annotation that documentation mentions is in the table', () => {
  const known = new Set(entries.map(([name]) => name))
  const base = (name: string) => (known.has(name) ? name : name.slice(0, name.lastIndexOf('.')))
  const unknown = globSync('{docs/*.md,README.md}', { cwd: root }).flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(/(?<!metrics\.)simulated\.bowsprit\.dev\/([\w.-]*\w)/g)].flatMap(
      ([, name = '']) => (known.has(base(name)) ? [] : [`${file}: ${name}`]),
    ),
  )
  assert.deepEqual(unknown, [])
})

for (const [name, of, key] of [
  ['memory', undefined, 'simulated.bowsprit.dev/memory'],
  ['memory', 'main', 'simulated.bowsprit.dev/memory.main'],
  ['volume', 'data', 'simulated.bowsprit.dev/volume.data'],
] as const satisfies readonly (readonly [SimulatedAnnotationName, string | undefined, string])[])
  test(`${name} of ${of ?? 'the whole pod'} is ${key}`, () => assert.equal(simulatedKey(name, of), key))
