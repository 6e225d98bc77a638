/** What pods and the machine use, as the node tells it. Skipped where root or containerd is missing. */
import path from 'node:path'
import { realTest } from './real-test.ts'

realTest("a real node's figures", path.join(import.meta.dirname, 'figures.ts'))
