/** Imported before the tests: the file named by `MUTANT_FILE` has the source in the file named by `MUTANT_SOURCE`. */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const { MUTANT_FILE: file = '', MUTANT_SOURCE: source = '' } = process.env
const url = pathToFileURL(file).href
registerHooks({
  load: (loaded, context, next) =>
    loaded === url ? { format: 'module-typescript', source: readFileSync(source, 'utf8'), shortCircuit: true } : next(loaded, context),
})
