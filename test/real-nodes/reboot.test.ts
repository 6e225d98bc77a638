/** A node that is rebooted. Skipped where root or containerd is missing. */
import path from 'node:path'
import { realTest } from './real-test.ts'

realTest('pods of a node that was rebooted', path.join(import.meta.dirname, 'reboot.ts'))
