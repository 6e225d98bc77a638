/** Pods in real containers, by containerd, runc and network plugins. Skipped where those are missing, or root. */
import path from 'node:path'
import { realTest } from './real-test.ts'

realTest('pods run in real containers', path.join(import.meta.dirname, 'containers.ts'))
