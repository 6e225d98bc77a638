/** Services of pods in real containers. Skipped where containerd and the like are missing, or root. */
import path from 'node:path'
import { realTest } from './real-test.ts'

realTest('services lead to real pods', path.join(import.meta.dirname, 'services.ts'))
