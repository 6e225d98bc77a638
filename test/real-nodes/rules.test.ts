/** Rules of services and policies, as the kernel takes them. Skipped where containerd and the like are missing, or root. */
import path from 'node:path'
import { realTest } from './real-test.ts'

realTest('the kernel takes the rules', path.join(import.meta.dirname, 'rules.ts'))
