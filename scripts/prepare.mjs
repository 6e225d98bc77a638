// Writes src/resources/generated: the facts of each group version in one line, and its documentation beside it. `npm ci` runs it (npm's `prepare`),
// with whatever Node is there; it knows nothing of TypeScript. The documentation comes from the declarations of kubernetes-models, and where that has
// none, of @kubernetes/client-node (which leaves out what is said of a field whose type is another struct).
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')
const factsFolder = path.join(root, 'src/resources/facts')
const outFolder = path.join(root, 'src/resources/generated')
const models = path.join(root, 'node_modules/@kubernetes/client-node/dist/gen/models')

const ids = readdirSync(factsFolder)
  .filter((f) => f.endsWith('.json'))
  .map((f) => f.slice(0, -5))
const classes = indexOfModels()
const contents = createHash('sha256')
mkdirSync(outFolder, { recursive: true })
for (const id of ids) {
  const facts = JSON.parse(readFileSync(path.join(factsFolder, `${id}.json`), 'utf8'))
  save(`${id}.json`, facts)
  save(`${id}.docs.json`, documentation(id, facts))
}
save('stamp.json', contents.digest('hex')) // part of the hashes in OpenAPI's URLs

/** The classes that the package's index exports; stale files lie beside them. */
function indexOfModels() {
  const index = path.join(models, 'all.d.ts')
  if (!existsSync(index)) {
    console.warn('prepare: @kubernetes/client-node is not installed; `kubectl explain` will have no descriptions')
    return new Set()
  }
  return new Set([...readFileSync(index, 'utf8').matchAll(/models\/(\w+)\.js'/g)].map((m) => m[1]))
}

/** `{ Container: { '': 'about the type', image: 'about the field' } }` */
function documentation(id, facts) {
  const docs = {}
  for (const name of Object.keys(facts.structs)) {
    const file = classOf(id, facts.version, name)
    const said = file === undefined ? {} : readModel(path.join(models, `${file}.d.ts`))
    Object.assign(said, readInterface(facts.openapi, facts.group, facts.version, name))
    if (Object.keys(said).length > 0) docs[name] = said
  }
  return docs
}

/** Names that several groups use carry the group: `CoreV1Event`, `EventsV1Event`. */
function classOf(id, version, name) {
  const group = id.split('_')[0]
  const prefix = `${group[0].toUpperCase()}${group.slice(1)}`
  const v = (version || 'v1').toUpperCase()
  return [`${prefix}${v}${name}`, `${v}${name}`, `${prefix}${name}`].find((c) => classes.has(c))
}

function readModel(file) {
  const text = readFileSync(file, 'utf8')
  const docs = {}
  const about = text.match(/\/\*\*\n\* ([\s\S]*?)\n\*\/\nexport declare class/)
  if (about) docs[''] = plain(about[1])
  for (const m of text.matchAll(/ {4}\/\*\*\n {4}\* ((?:(?!\*\/)[\s\S])*?)\n {4}\*\/\n {4}'([^']+)'\??:/g))
    docs[jsonName(m[2])] = plain(m[1])
  return docs
}

/** The same of kubernetes-models: a folder per group and version, a file per type. */
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

/** The package writes `_default` for a reserved word, and `x_kubernetes_map_type` for what no identifier can say. */
function jsonName(name) {
  if (name.startsWith('x_kubernetes_')) return name.replaceAll('_', '-')
  return name.startsWith('_') ? name.slice(1) : name
}

function plain(text) {
  return text.replace(/\\(['"\\])/g, '$1').replaceAll('*_/', '*/')
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
