// Writes src/resources/generated: the facts of each group version in one line, and its documentation beside it. `npm ci` runs it (npm's `dependencies`:
// it is nobody's business where the package is installed), with whatever Node is there; it knows nothing of TypeScript. The documentation comes from the
// declarations of kubernetes-models.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')
const factsFolder = path.join(root, 'src/resources/facts')
const outFolder = path.join(root, 'src/resources/generated')

const ids = readdirSync(factsFolder)
  .filter((f) => f.endsWith('.json'))
  .map((f) => f.slice(0, -5))
const ofEveryKind = sharedDocumentation()
const contents = createHash('sha256')
mkdirSync(outFolder, { recursive: true })
for (const id of ids) {
  const facts = JSON.parse(readFileSync(path.join(factsFolder, `${id}.json`), 'utf8'))
  save(`${id}.json`, facts)
  save(`${id}.docs.json`, documentation(facts))
}
save('stamp.json', contents.digest('hex')) // part of the hashes in OpenAPI's URLs
if (existsSync(path.join(root, 'node_modules', 'esbuild'))) await (await import('./build-page.mjs')).buildPage()
dropHeaders()

/** The package of Node brings headers and manuals, a third of its size, that nothing here needs. */
function dropHeaders() {
  const node = path.join(root, 'node_modules/node/node_modules')
  if (!existsSync(node)) return
  for (const build of readdirSync(node).filter((name) => /^node-\w+-\w+$/.test(name)))
    for (const part of ['include', 'share', 'lib', 'CHANGELOG.md']) rmSync(path.join(node, build, part), { recursive: true, force: true })
}

/** What is said of `apiVersion` and `kind` of every object, which the declarations repeat nowhere but where they are fields like others. */
function sharedDocumentation() {
  const { apiVersion, kind } = readInterface('io.k8s.apimachinery.pkg.apis.meta.v1', '', 'v1', 'APIGroup')
  if (apiVersion === undefined) console.warn('prepare: kubernetes-models is not installed; `kubectl explain` will have no descriptions')
  return apiVersion === undefined ? {} : { apiVersion, kind }
}

/** `{ Container: { '': 'about the type', image: 'about the field' } }` */
function documentation(facts) {
  const docs = {}
  for (const [name, fields] of Object.entries(facts.structs)) {
    const isKind = Object.keys(fields).some((f) => f.endsWith('TypeMeta)'))
    const said = { ...(isKind ? ofEveryKind : {}), ...readInterface(facts.openapi, facts.group, facts.version, name) }
    if (Object.keys(said).length > 0) docs[name] = said
  }
  return docs
}

/** What kubernetes-models says of a type: a folder per group and version, a file per type. */
function readInterface(openapi, group, version, name) {
  const folder = openapi.startsWith('io.k8s.apimachinery.pkg.')
    ? `@kubernetes-models/apimachinery/${openapi.slice('io.k8s.apimachinery.pkg.'.length).replaceAll('.', '/')}`
    : path.join('kubernetes-models', group, version)
  const file = path.join(root, 'node_modules', folder, `${name}.d.ts`)
  if (!existsSync(file)) return {}
  const text = readFileSync(file, 'utf8').split('export declare class')[0]
  const docs = {}
  const about = text.match(/\/\*\*\n((?: \* ?.*\n)+?) \*\/\nexport interface/)
  if (about) docs[''] = unquoted(about[1])
  for (const m of text.matchAll(/^ {4}\/\*\*\n((?: {5}\* ?.*\n)+?) {5}\*\/\n {4}"([^"]+)"\??:/gm)) docs[m[2]] = unquoted(m[1])
  return docs
}

/** What a comment says: without its margin, and with the stars that it had to hide. */
function unquoted(comment) {
  const lines = comment.split('\n').map((l) => l.replace(/^ *\* ?/, ''))
  return lines
    .join('\n')
    .replace(/\n@deprecated\s*$/, '')
    .trim()
    .replace(/\\\*/g, '*')
    .replaceAll('*\\/', '*/')
}

/** Replaced in one step, so that a server that is starting never reads half a file. */
function save(name, value) {
  const file = path.join(outFolder, name)
  const text = JSON.stringify(value)
  if (name !== 'stamp.json') contents.update(text)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  writeFileSync(`${file}.${process.pid}`, text)
  renameSync(`${file}.${process.pid}`, file)
}
