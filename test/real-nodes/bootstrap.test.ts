/** A node that joins with a bootstrap token. Skipped where root or containerd is missing. */
import path from 'node:path'
import { realTest } from './real-test.ts'

realTest('a machine becomes a node by a bootstrap token', path.join(import.meta.dirname, 'bootstrap.ts'))
