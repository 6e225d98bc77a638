/** Limits of storage, pressure on the node, unused images. Skipped where root or containerd is missing. */
import path from 'node:path'
import { realTest } from './real-test.ts'

realTest('a real node keeps its machine from running full', path.join(import.meta.dirname, 'pressure.ts'))
