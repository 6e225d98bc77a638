import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pageFolder } from './page-folder.ts'

/** A file of the page. */
export interface BrowserFile {
  readonly type: string
  readonly body: Buffer
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The page's own files by their paths: nothing else of this machine is ever served. Undefined: the page was not built. */
export function browserFiles(): ReadonlyMap<string, BrowserFile> | undefined {
  const folder = pageFolder()
  if (folder === undefined) return undefined
  const files = new Map<string, BrowserFile>()
  for (const name of readdirSync(folder)) {
    const type = TYPES[path.extname(name)]
    if (type !== undefined) files.set(name === 'index.html' ? '/' : `/${name}`, { type, body: readFileSync(path.join(folder, name)) })
  }
  return files
}
