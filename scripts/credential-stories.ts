/**
 * `npm run credential-stories -- FOLDER PROXY REPORT [NAMES…]`: plays recordings of a real kubelet with image credential providers
 * (`upstream/real-node/credentials`) against our agent on containerd, a registry of its own, and the recording proxy PROXY
 * (`oracle/grpclog`), and writes the differences into REPORT. Needs root; what it starts and mounts goes with it.
 */
import path from 'node:path'
import { inNamespaces } from '../test/real-nodes/in-namespaces.ts'

const args = process.argv.slice(2)
if (args.length < 3) throw new Error('usage: npm run credential-stories -- FOLDER PROXY REPORT [NAMES…]')
process.exitCode = await inNamespaces(path.join(import.meta.dirname, '..', 'test', 'real-nodes', 'credentials', 'main.ts'), args)
