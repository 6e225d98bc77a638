/**
 * `npm run docs`: writes `docs/api/*.md` from the doc comments of what the package exports, `docs/errors.md` from those of the error
 * classes, and `docs/cli.md` and `docs/cluster.schema.json` from the definitions of the commands.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { clusterSchema } from '../src/cli/cluster-file/cluster-schema.ts'
import { upCommand } from '../src/cli/up.ts'
import { apiPage } from './api-page.ts'
import { cliPage } from './cli-page.ts'
import { errorClasses, errorsPage, publishedNames } from './error-classes.ts'
import { publicApi } from './public-api.ts'

const root = path.join(import.meta.dirname, '..')
const folder = path.join(root, 'docs', 'api')

mkdirSync(folder, { recursive: true })
for (const entry of publicApi()) {
  const file = path.join(folder, `${entry.name.slice(entry.name.indexOf('/') + 1)}.md`)
  writeFileSync(file, apiPage(entry))
  console.log(`${file}: ${entry.exports.length} exports`)
}
writeFileSync(path.join(root, 'docs', 'cli.md'), await cliPage())
writeFileSync(path.join(root, 'docs', 'cluster.schema.json'), jsonText(clusterSchema(upCommand())))
writeFileSync(path.join(root, 'docs', 'errors.md'), errorsPage(errorClasses(root), publishedNames(root)))

/** As the formatter writes JSON: short lists in one line. */
function jsonText(value: object): string {
  const text = JSON.stringify(value, null, 2)
  return `${text.replaceAll(/\[\s+("[^[\]{}]*?)\s+\]/g, (_, items: string) => `[${items.replaceAll(/\s+/g, ' ')}]`)}\n`
}
