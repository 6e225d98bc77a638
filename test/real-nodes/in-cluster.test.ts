/** Programs in real containers use the API server of `bowsprit up`. Skipped where root or containerd is missing. */
import path from 'node:path'
import { realTest } from './real-test.ts'

realTest('programs in real containers use the API server', path.join(import.meta.dirname, 'in-cluster.ts'))
