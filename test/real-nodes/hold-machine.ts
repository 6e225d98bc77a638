/**
 * A machine of `two-machines.ts`, which starts this file in namespaces of its own. containerd keeps this process, until both are killed.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { findRuntime } from './found-runtime.ts'
import { openMachine } from './machine.ts'

const [folder = '', number = ''] = process.argv.slice(2)
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
await openMachine(folder, found, { network: false, number: Number(number) })
writeFileSync(path.join(folder, 'opened'), '')
