/**
 * `npm run real-stories -- FOLDER PROXY REPORT [PARALLEL [NAMES…]]`: plays recordings of a real kubelet (`upstream/real-node/cri`) against
 * our agent on containerd, with the recording proxy PROXY (`oracle/grpclog`) in between, and writes the differences into REPORT. Needs
 * root; what it starts and mounts goes with it.
 */
import path from 'node:path'
import { inNamespaces } from '../test/real-nodes/in-namespaces.ts'

const args = process.argv.slice(2)
if (args.length < 3) throw new Error('usage: npm run real-stories -- FOLDER PROXY REPORT [PARALLEL [NAMES…]]')
process.exitCode = await inNamespaces(path.join(import.meta.dirname, '..', 'test', 'real-nodes', 'stories', 'main.ts'), args)
