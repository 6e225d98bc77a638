/**
 * `npm run csi-stories -- FOLDER REPORT [NAMES…]`: plays recordings of a real kubelet with a CSI driver (`upstream/real-node/csi`) against
 * our agent on containerd and a driver of folders, and writes the differences into REPORT. Needs root; what it starts and mounts goes with
 * it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { inNamespaces } from '../test/real-nodes/in-namespaces.ts'

const args = process.argv.slice(2)
if (args.length < 2) throw new Error('usage: npm run csi-stories -- FOLDER REPORT [NAMES…]')
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-csi-'))
const main = path.join(import.meta.dirname, '..', 'test', 'real-nodes', 'csi-stories', 'main.ts')
try {
  process.exitCode = await inNamespaces(main, [folder, ...args])
} finally {
  // Its mounts have gone with the namespaces.
  rmSync(folder, { recursive: true, force: true })
}
