/**
 * `npm run node-stories -- KIND FOLDER REPORT [NAMES…]`: plays recordings of a real kubelet (`upstream/real-node/KIND`: flexvolume, cni,
 * services) against our agent on containerd, and writes the differences into REPORT. Needs root; what it starts and mounts goes with it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { inNamespaces } from '../test/real-nodes/in-namespaces.ts'

const KINDS = ['flexvolume', 'cni', 'services']
const [kind = '', ...args] = process.argv.slice(2)
if (!KINDS.includes(kind) || args.length < 2) throw new Error(`usage: npm run node-stories -- ${KINDS.join('|')} FOLDER REPORT [NAMES…]`)
const folder = mkdtempSync(path.join(os.tmpdir(), `bowsprit-${kind}-`))
const main = path.join(import.meta.dirname, '..', 'test', 'real-nodes', `${kind}-stories`, 'main.ts')
try {
  process.exitCode = await inNamespaces(main, [folder, ...args])
} finally {
  // Its mounts have gone with the namespaces.
  rmSync(folder, { recursive: true, force: true })
}
