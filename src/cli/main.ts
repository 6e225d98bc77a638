#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { constants, enableCompileCache } from 'node:module'
import path from 'node:path'
import { styleText } from 'node:util'
import { IN_CHECKOUT } from './in-checkout.ts'

/** `engines` of package.json. */
const LEAST_NODE = [22, 19] as const

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1])) {
  console.error(
    `bowsprit needs Node ${LEAST_NODE.join('.')} or newer; this is ${process.versions.node}. Or use the single executable, which needs no Node.`,
  )
  process.exit(1)
}
// Everything else is imported when the compile cache is on: it halves the time of every start but the first.
const ownCache = IN_CHECKOUT ? path.join(import.meta.dirname, '../../.cache/compiled') : undefined
// No timer fires while the sources are compiled.
if (ownCache !== undefined && process.stderr.isTTY && !existsSync(ownCache))
  console.error(styleText('dim', 'Compiling the sources; this first time takes some seconds …'))
// The second: for a checkout that this user cannot write.
if (enableCompileCache(ownCache).status === constants.compileCacheStatus.FAILED) enableCompileCache()
const { runCommandLine } = await import('./program.ts')
await runCommandLine(process.argv)
