/** CSI drivers on real nodes: `csi.ts` in namespaces of its own. */
import path from 'node:path'
import { realTest } from './real-test.ts'

realTest('CSI drivers on a real node', path.join(import.meta.dirname, 'csi.ts'))
