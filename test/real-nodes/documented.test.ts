/** What pages of the documentation show on real nodes: `documented.ts` in namespaces of its own. */
import path from 'node:path'
import { realTest } from './real-test.ts'

realTest('what the documentation shows of real nodes', path.join(import.meta.dirname, 'documented.ts'))
