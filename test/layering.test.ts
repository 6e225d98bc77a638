import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

/** Who may import whom inside `src/` (ARCHITECTURE.md). */
const MAY: Readonly<Record<string, readonly string[]>> = {
  base: [],
  machinery: ['base'],
  resources: ['base', 'machinery'],
  storage: ['base'],
  sdk: ['base', 'machinery', 'resources'],
  apiserver: ['base', 'machinery', 'storage', 'resources'],
  server: ['base', 'machinery', 'resources', 'storage', 'apiserver'],
  'server/custom': ['base', 'machinery', 'resources', 'storage', 'apiserver', 'sdk'],
  'server/aggregation': ['base', 'machinery', 'resources', 'storage', 'apiserver', 'sdk'],
  scheduler: ['base', 'machinery', 'resources', 'sdk'],
  controllers: ['base', 'machinery', 'resources', 'sdk'],
  node: ['base', 'machinery', 'resources', 'sdk'],
  cluster: ['base', 'machinery', 'resources', 'storage', 'sdk', 'apiserver', 'server', 'tools', 'scheduler', 'controllers', 'node'],
  testing: [
    'base',
    'machinery',
    'resources',
    'storage',
    'sdk',
    'apiserver',
    'server',
    'tools',
    'scheduler',
    'controllers',
    'node',
    'cluster',
  ],
  tools: ['base', 'machinery', 'resources', 'sdk', 'apiserver', 'server'],
  cli: ['base', 'machinery', 'sdk', 'cluster', 'tools'],
}

interface Import {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
}

const root = path.join(import.meta.dirname, '..', 'src')
const isTest = (file: string) => /\.(test|contract)\.ts$/.test(file)

function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(root, file), 'utf8')
  const found: Import[] = []
  for (const m of text.matchAll(/^(?:import|export)\s+(type\s+)?[^'"]*?from\s+'(\.[^']+)'|^import\s+'(\.[^']+)'/gm)) {
    found.push({ from: file, to: path.join(path.dirname(file), m[2] ?? m[3] ?? ''), typeOnly: m[1] !== undefined })
  }
  for (const m of text.matchAll(/\bimport\('(\.[^']+)'\)/g))
    found.push({ from: file, to: path.join(path.dirname(file), m[1] ?? ''), typeOnly: true })
  return found
}

const files = globSync('**/*.ts', { cwd: root }).sort()
const all = files.flatMap(importsOf)

const room = (file: string) => {
  const [first = '', second = ''] = file.split('/')
  return MAY[`${first}/${second}`] ? `${first}/${second}` : first
}

test('imports keep to the table of the house', () => {
  const wrong = all
    .filter((i) => !isTest(i.from))
    .filter((i) => i.from.split('/')[0] !== i.to.split('/')[0] && !MAY[room(i.from)]?.includes(i.to.split('/')[0] ?? ''))
    .map((i) => `${i.from} imports ${i.to}`)
  assert.deepEqual(wrong, [])
})

test('every imported file exists, under the name that is written', () => {
  const known = new Set(globSync('**/*', { cwd: root }))
  assert.deepEqual(
    all.filter((i) => !known.has(i.to) && !i.to.includes('generated/') && !i.to.startsWith('..')).map((i) => `${i.from} imports ${i.to}`),
    [],
  )
})

test('no cycle of value imports exists', () => {
  const next = Map.groupBy(
    all.filter((i) => !i.typeOnly && !isTest(i.from)),
    (i) => i.from,
  )
  const state = new Map<string, 'open' | 'done'>()
  const cycles: string[] = []
  const visit = (file: string, trail: readonly string[]) => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '))
      return
    }
    state.set(file, 'open')
    for (const i of next.get(file) ?? []) visit(i.to, [...trail, file])
    state.set(file, 'done')
  }
  for (const file of files) visit(file, [])
  assert.deepEqual(cycles, [])
})

test('time, chance and later turns of the event loop are had from base/ alone', () => {
  const reads = /\b(Date\.now|Math\.random|setTimeout|setInterval|setImmediate|nextTick|queueMicrotask|performance\.now|randomUUID)\(/
  const wrong = files
    .filter((f) => !f.startsWith('base/') && !f.startsWith('cli/') && !isTest(f))
    .flatMap((f) =>
      readFileSync(path.join(root, f), 'utf8')
        .split('\n')
        .flatMap((line, i) => (reads.test(line) && !/^\s*(\*|\/\/)/.test(line) ? [`${f}:${i + 1}: ${line.trim()}`] : [])),
    )
  assert.deepEqual(wrong, [])
})
