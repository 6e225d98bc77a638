import { existsSync } from 'node:fs'
import path from 'node:path'

/** In the package beside the bundle; in a checkout beside the sources of the page, where `scripts/build-page.mjs` has put it. */
const FOLDERS = ['page', '../../browser/generated']

/** Where the built files of the page are. Undefined: the page was not built. */
export const pageFolder = (): string | undefined =>
  FOLDERS.map((name) => path.join(import.meta.dirname, name)).find((name) => existsSync(path.join(name, 'index.html')))
