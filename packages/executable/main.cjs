/**
 * What the single executable runs first: it lays down the published files that it carries, once for each build, and goes on there. Node's own loader, its
 * workers and its cache of compiled code then have files as they are used to.
 */
const { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const os = require('node:os')
const path = require('node:path')
const { getAsset, getAssetKeys, getRawAsset } = require('node:sea')

const build = getAsset('build', 'utf8')

/** Below the user's own cache; where nothing can be written there, a folder for this process alone. */
function home() {
  const cache = path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'bowsprit')
  const kept = path.join(cache, build)
  if (existsSync(kept)) return kept
  try {
    mkdirSync(cache, { recursive: true })
    return layDown(mkdtempSync(`${kept}.`), kept)
  } catch {
    const own = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-code-'))
    process.once('exit', () => rmSync(own, { recursive: true, force: true }))
    return layDown(own, own)
  }
}

/** Into a draft: what stands under the final name is whole, also when several start at once. */
function layDown(draft, final) {
  try {
    for (const name of getAssetKeys()) {
      mkdirSync(path.dirname(path.join(draft, name)), { recursive: true })
      writeFileSync(path.join(draft, name), new Uint8Array(getRawAsset(name)))
    }
    if (draft !== final) renameSync(draft, final)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (draft === final || !existsSync(final)) throw error
  }
  return final
}

/** The programs that `bowsprit assets` lays down start "Node": its flags, then a file of JavaScript. */
function asNode() {
  const words = process.argv.slice(2)
  const at = words.findIndex((word) => !word.startsWith('--'))
  return at > 0 && words[at].endsWith('.js') ? { file: path.resolve(words[at]), rest: words.slice(at + 1) } : undefined
}

const folder = home()
const program = asNode()
if (program !== undefined) process.argv.splice(1, process.argv.length - 1, program.file, ...program.rest)
// `import()` is had by files only.
createRequire(path.join(folder, 'start.cjs'))('./start.cjs')(program?.file ?? path.join(folder, 'bowsprit.js'))
