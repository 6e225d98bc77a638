/** The pages on real nodes and storage drivers, command by command. Skipped where root or containerd is missing. */
import path from 'node:path'
import { before } from 'node:test'
import { kubectlPath } from '../../scripts/clients.ts'
import { realTest } from './real-test.ts'

// It may be fetched: the test itself has a network of its own.
before(() => void kubectlPath())

realTest(
  'docs/real-nodes.md and docs/csi.md lead from nothing to a node, its ports, limits, policies and volumes',
  path.join(import.meta.dirname, 'walked.ts'),
)
