#!/usr/bin/env node
import { readdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
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
const { directory } = enableCompileCache()
// In a checkout the sources are compiled; no timer fires meanwhile.
if (IN_CHECKOUT && process.stderr.isTTY && directory !== undefined && readdirSync(directory).length === 0)
  console.error(styleText('dim', 'Compiling the sources; this first time takes some seconds …'))
const { runCommandLine } = await import('./program.ts')
await runCommandLine(process.argv)
