/** The pages on real nodes and storage drivers, command by command. Skipped where root or containerd is missing. */
import path from 'node:path'
import { realTest } from './real-test.ts'

realTest(
  'docs/real-nodes.md and docs/csi.md lead from nothing to a node, its ports, limits and volumes',
  path.join(import.meta.dirname, 'walked.ts'),
)
