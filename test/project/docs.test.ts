/** The documentation: every public name has a description, the examples compile, and the guides run. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { publicApi } from '../../scripts/public-api.ts'
import { runProgram } from '../run-program.ts'

const root = path.join(import.meta.dirname, '..', '..')
const api = publicApi()
const SOURCES = {
  'bowsprit/sdk': 'src/sdk/sdk.ts',
  'bowsprit/scheduler-plugin': 'src/sdk/scheduler-plugin/public.ts',
  'bowsprit/device-plugin': 'src/sdk/device-plugin/public.ts',
  'bowsprit/csi-driver': 'src/sdk/csi/public.ts',
  'bowsprit/dra-plugin': 'src/sdk/dra-plugin/public.ts',
  'bowsprit/aggregated-api': 'src/aggregated-api/public.ts',
  'bowsprit/testing': 'src/testing/testing.ts',
  'bowsprit/types': 'src/resources/types/public.ts',
}

/** The code blocks of a text with this info string. */
const blocks = (text: string, info: string) =>
  [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].flatMap((m) => (m[1] === info ? [m[2] ?? ''] : []))

/** The files of a guide: their info string is `ts file plugin.ts`. They are written next to its programs. */
const filesOf = (text: string) =>
  [...text.matchAll(/^```\w+ file (\S+)\n([\s\S]*?)^```$/gm)].map((m) => ({ name: m[1] ?? '', content: m[2] ?? '' }))

/** A folder inside the project, so that types are found, removed after the test. */
function workshop(t: { after(fn: () => void): void }): string {
  const folder = mkdtempSync(path.join(root, '.docs-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

function withSources(code: string): string {
  return Object.entries(SOURCES).reduce((text, [name, file]) => text.replaceAll(`'${name}'`, `'${path.join(root, file)}'`), code)
}

test('every public name has a doc comment', () => {
  assert.deepEqual(
    api.flatMap((entry) => entry.exports.filter((e) => e.comment === '').map((e) => `${entry.name}: ${e.name}`)),
    [],
  )
})

for (const { name, exports } of api)
  test(`docs/api names all that is exported: npm run docs writes it: ${name}`, () => {
    const page = readFileSync(path.join(root, 'docs', 'api', `${path.basename(name)}.md`), 'utf8')
    const described = [...page.matchAll(/^### (\S+)$/gm)].map((m) => m[1] ?? '').sort()
    assert.deepEqual(described, exports.map((e) => e.name).sort())
  })

/** Declarations that examples may use. */
const GIVEN = `
declare const client: import('bowsprit/sdk').Client
declare const cluster: import('bowsprit/testing').Cluster
declare const signal: AbortSignal
declare const identity: string, namespace: string, name: string, cert: string, key: string
declare const queue: import('bowsprit/sdk').WorkQueue
declare const gadget: import('bowsprit/sdk').KubeObject
declare const options: import('bowsprit/sdk').ControllerOptions
declare const Gadget: import('bowsprit/sdk').Installable
declare const GADGETS: import('bowsprit/sdk').ResourceRef
declare const homedir: () => string
type Pod = import('bowsprit/types').Pod
type ConfigMap = import('bowsprit/types').ConfigMap
declare const makeWhatItSays: (object: Readonly<import('bowsprit/sdk').KubeObject>) => Promise<void>
`

test('the examples of the doc comments compile', (t) => {
  const folder = workshop(t)
  const examples = api.flatMap(({ exports }) =>
    exports.flatMap((e) => blocks(commentAndMembers(e), 'ts').map((code) => ({ name: e.name, code }))),
  )
  assert.ok(examples.length > 15, String(examples.length))
  const names = (entry: string) => api.find((e) => e.name === entry)?.exports.map((e) => e.name) ?? []
  for (const [i, { name, code }] of examples.entries()) {
    const used = Object.keys(SOURCES).map((entry) => {
      // Builders have everyday names: count calls only.
      const called = entry === 'bowsprit/testing' ? '\\(' : '\\b'
      const wanted = names(entry).filter((n) => new RegExp(`\\b${n}${called}`).test(code) && !seenBefore(entry, n))
      return wanted.length === 0 ? '' : `import { ${wanted.join(', ')} } from '${entry}'`
    })
    writeFileSync(
      path.join(folder, `${i}-${name}.ts`),
      withSources(`${used.join('\n')}\n${GIVEN}\nexport async function example() {\n{\n${code}\n}\n}\n`),
    )
  }
  const compilerOptions = { noEmit: true, noUnusedLocals: false, verbatimModuleSyntax: false }
  writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../tsconfig.json', compilerOptions, include: ['*.ts'], exclude: [] }),
  )
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  try {
    execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
  } catch (error) {
    assert.fail(String((error as { stdout?: string }).stdout))
  }

  /** Some names (clocks) are exported by two entry points. */
  function seenBefore(entry: string, n: string): boolean {
    return entry !== 'bowsprit/sdk' && names('bowsprit/sdk').includes(n)
  }
})

/** Members have comments too. */
const commentAndMembers = ({ comment, signature }: { comment: string; signature: string }) =>
  `${comment}\n${signature.replace(/^ +\* ?/gm, '')}`

for (const guide of globSync('docs/*.md', { cwd: root }).concat('README.md').sort()) {
  const text = readFileSync(path.join(root, guide), 'utf8')
  const programs = blocks(text, 'ts run')
  test(`${guide}: files are shown next to a program that uses them`, () => {
    for (const { name } of filesOf(text))
      assert.ok(
        programs.some((code) => code.includes(name)),
        name,
      )
  })
  for (const [i, code] of programs.entries()) {
    test(`${guide}: program ${i + 1} works as shown`, async (t) => {
      const folder = workshop(t)
      for (const { name, content } of filesOf(text)) writeFileSync(path.join(folder, name), withSources(content))
      const file = path.join(folder, 'program.test.ts')
      writeFileSync(file, withSources(code))
      // As a separate process: a test inside a test would not run.
      const words = ['--disable-warning=ExperimentalWarning', '--test-reporter=tap', file]
      const { code: status, out, err } = await runProgram(process.execPath, words, { env: { NODE_TEST_CONTEXT: '' }, timeoutMs: 60_000 })
      assert.equal(status, 0, `${out}${err}`)
      assert.match(out, /^# pass [1-9]/m)
    })
  }
}
