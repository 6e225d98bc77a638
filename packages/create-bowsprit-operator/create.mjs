#!/usr/bin/env node
// `npm create bowsprit-operator NAME`: writes a project. Plain JavaScript without dependencies: it runs before anything is installed.
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'

const USAGE = `usage: npm create bowsprit-operator FOLDER -- [--kind Gadget] [--group example.com] [--bowsprit VERSION-OR-TARBALL]

  FOLDER       the project's folder and name; new, or empty
  --kind       the kind that it operates; a word in CamelCase (default: Gadget)
  --group      the API group (default: example.com)
  --bowsprit   which bowsprit: a version, or the path of a tarball (default: ^0.1.0)`

class UsageError extends Error {}

try {
  create(process.argv.slice(2))
} catch (error) {
  if (
    !(error instanceof UsageError) &&
    error.code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' &&
    error.code !== 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE'
  )
    throw error
  console.error(`create-bowsprit-operator: ${error.message}\n\n${USAGE}`)
  process.exitCode = 1
}

function create(words) {
  const text = (fallback) => ({ type: 'string', default: fallback })
  const options = { kind: text('Gadget'), group: text('example.com'), bowsprit: text('^0.1.0'), help: { type: 'boolean', short: 'h' } }
  const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true })
  if (values.help) return console.log(USAGE)
  const [folder, ...more] = positionals
  if (folder === undefined || more.length > 0) throw new UsageError('name one folder')
  const { kind, group } = values
  const name = path.basename(path.resolve(folder)).toLowerCase()
  if (!/^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$/.test(name)) throw new UsageError(`${name} is no name: small letters, digits and -`)
  if (!/^[A-Z][A-Za-z0-9]{0,50}$/.test(kind)) throw new UsageError(`${kind} is no kind: a word in CamelCase, such as Gadget`)
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/.test(group))
    throw new UsageError(`${group} is no API group: a domain, such as example.com`)
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new UsageError(`${folder} is not empty`)
  write(folder, { name, kind, group, bowsprit: dependency(values.bowsprit, folder) })
  console.log(`${folder} is there. Next:\n\n  cd ${folder}\n  npm install\n  npm test\n\nThen read its README.md.`)
}

/** A tarball is named relative to the project, so that both can be moved together. */
function dependency(given, folder) {
  if (!/\.tgz$/.test(given)) return given
  if (!existsSync(given)) throw new UsageError(`${given} is not there`)
  return `file:${path.relative(path.resolve(folder), path.resolve(given))}`
}

function write(folder, { name, kind, group, bowsprit }) {
  const template = path.join(import.meta.dirname, 'template')
  // The template is itself a program: its words are those of a kind Gadget.
  const small = kind.toLowerCase()
  const plural = pluralOf(small)
  const fill = (text) =>
    text
      .replaceAll('PROJECT_NAME', name)
      .replaceAll('BOWSPRIT_VERSION', bowsprit)
      .replaceAll('example.com', group)
      .replaceAll('gadgets', plural)
      .replaceAll('Gadget', kind)
      .replaceAll('gadget', small)
  for (const file of globSync('**/*', { cwd: template, withFileTypes: true })) {
    if (!file.isFile()) continue
    const from = path.join(file.parentPath, file.name)
    // npm does not pack files of these names: they have an underscore in the template.
    const to = path.join(
      folder,
      fill(path.relative(template, from))
        .replace(/^_/, '')
        .replace(/^gitignore$/, '.gitignore'),
    )
    mkdirSync(path.dirname(to), { recursive: true })
    writeFileSync(to, fill(readFileSync(from, 'utf8')))
  }
}

/** As `defineKind` does it. */
function pluralOf(small) {
  if (/(s|x|z|ch|sh)$/.test(small)) return `${small}es`
  return /[^aeiou]y$/.test(small) ? `${small.slice(0, -1)}ies` : `${small}s`
}
