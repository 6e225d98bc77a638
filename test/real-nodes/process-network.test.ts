/** Pods of processes in a network of plugins: `process-network.ts` in namespaces of its own. Skipped where root or plugins are missing. */
import path from 'node:path'
import { realTest } from './real-test.ts'

realTest('network plugins plug processes in', path.join(import.meta.dirname, 'process-network.ts'))
