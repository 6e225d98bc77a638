#!/usr/bin/env node
import { enableCompileCache } from 'node:module'

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
enableCompileCache()
const { runCommandLine } = await import('./program.ts')
await runCommandLine(process.argv)
